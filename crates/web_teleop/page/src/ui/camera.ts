/** The robot's camera, picture by picture: the next is asked for when the last has come. */

import type { Session } from "../session.ts";
import { words } from "../words/index.ts";
import { h } from "./dom.ts";

const GAP_MS = 120;
const NONE_MS = 1000;

export interface Camera {
  readonly element: HTMLElement;
  show(isWanted: boolean): void;
}

export function createCamera(session: Session): Camera {
  const picture = h("img", { class: "camera-picture", alt: words.view.camera });
  const element = h("figure", { class: "camera", hidden: true }, picture);
  let isWanted = false;
  let isRunning = false;
  let url = "";

  const next = async (): Promise<void> => {
    if (!isWanted || document.hidden || !session.isOpen || !session.health?.camera) {
      isRunning = false;
      element.hidden = true;
      return;
    }
    const blob = await newest(session);
    if (blob) {
      URL.revokeObjectURL(url);
      url = URL.createObjectURL(blob);
      picture.src = url;
    }
    element.hidden = url === "";
    setTimeout(() => void next(), blob ? GAP_MS : NONE_MS);
  };
  const start = (): void => {
    if (isRunning) return;
    isRunning = true;
    void next();
  };
  session.on("health", ({ camera }) => {
    if (camera && isWanted) start();
  });
  return {
    element,
    show: (wanted) => {
      isWanted = wanted;
      start();
    },
  };
}

async function newest(session: Session): Promise<Blob | undefined> {
  try {
    const response = await session.transport.fetch("camera", { cache: "no-store" });
    return response.status === 200 ? await response.blob() : undefined;
  } catch {
    return undefined;
  }
}
