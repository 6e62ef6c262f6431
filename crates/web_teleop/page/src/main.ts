/** The page of a robot. */

import { startApp } from "./app.ts";
import { Socket } from "./protocol/socket.ts";
import { claimToken } from "./protocol/token.ts";
import { clientName } from "./ui/clientname.ts";

const name = clientName(navigator.userAgent, navigator.maxTouchPoints > 1);
startApp(new Socket(new URL("./", location.href), claimToken(), name));
