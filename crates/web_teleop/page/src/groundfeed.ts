/** Fetches the map of the ground while somebody looks at it; the robot makes and sends none otherwise. */

import { readElevation, type Elevation } from "./robot/elevation.ts";
import type { Session } from "./session.ts";

const EVERY_MS = 500;

/** Calls `show` with each new map, and with nothing where there is none any more. */
export function followGround(session: Session, isLookedAt: () => boolean, show: (map: Elevation | undefined) => void): void {
  let [isBusy, isShown, tag] = [false, false, ""];
  const take = (map: Elevation | undefined): void => {
    if (map || isShown) show(map);
    isShown = map !== undefined;
  };
  const look = async (): Promise<void> => {
    if (!session.isOpen || !session.health?.elevation) return take(undefined);
    if (!isLookedAt()) return;
    const response = await session.transport.fetch("elevation", { cache: "no-store", headers: tag ? { "If-None-Match": tag } : {} });
    if (response.status === 304) return;
    tag = response.headers.get("ETag") ?? "";
    take(response.status === 200 ? readElevation(await response.arrayBuffer()) : undefined);
  };
  setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    // Without an answer the next one may come.
    void look().catch(() => take(undefined)).finally(() => { isBusy = false; });
  }, EVERY_MS);
}
