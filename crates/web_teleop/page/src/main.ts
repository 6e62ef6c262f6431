/** The page of a robot. */

import { startApp } from "./app.ts";
import { Socket } from "./protocol/socket.ts";
import { claimToken, tokenIn } from "./protocol/token.ts";
import { clientName, givenName } from "./ui/clientname.ts";

// A new link that is opened in this tab changes nothing but the fragment.
addEventListener("hashchange", () => {
  if (tokenIn(location.hash) !== undefined) location.reload();
});
const name = givenName() || clientName(navigator.userAgent, navigator.maxTouchPoints > 1);
startApp(new Socket(new URL("./", location.href), claimToken(), name));
