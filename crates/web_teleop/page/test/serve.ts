/** Serves the built page with the mock's robot, to look at it by hand. */

import { readFileSync } from "node:fs";
import { Mock } from "./mock.ts";

const urdf = readFileSync(new URL("../../../../urdf/hexapod.urdf", import.meta.url), "utf8");
const mock = new Mock({ dist: new URL("../dist", import.meta.url).pathname, urdf });
console.log(await mock.listen(Number(process.argv[2] ?? 8081)));
