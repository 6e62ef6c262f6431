/** The part of the English words that asks the person something, or says why nothing happens. */

export const questions = {
  confirmOff: {
    title: "Switch the servos off?",
    body: "A standing robot falls to the ground. Sit it down first.",
    sit: "Sit down first",
    off: "Switch off",
    cancel: "Cancel",
  },
  confirmTakeOver: {
    title: (name: string) => `Take over from ${name}?`,
    body: "The robot stops, and obeys this device from then on.",
    take: "Take over",
    cancel: "Cancel",
  },
  confirmRecord: {
    begin: {
      title: "Record anew?",
      body: "The recording that is there is replaced. Download it first if you want to keep it.",
      go: "Record",
    },
    end: { title: "End the recording?", body: "Somebody else may have begun it.", go: "End it" },
    cancel: "Cancel",
  },
  why: {
    offline: "No connection: the stick does nothing.",
    silent: "The robot is silent: the stick does nothing.",
    other: (name: string) => `${name} drives. Take over at the top right.`,
    slow: (ms: string) => `Too slow a connection: ${ms} ms there and back.`,
    stopped: "Stopped: switch the servos on first.",
    letGo: "Let go of the stick once.",
    sits: "The robot sits: press Start or Stand first.",
    off: "The servos are off: only the picture moves.",
    fault: "The planner has a fault: see the line at the top.",
    servoFault: "The servos have a fault: see the line at the top.",
    moment: "One moment: it places its feet first.",
    plays: "It is busy with another motion.",
    unknown: "The robot does not follow. The log under Data may say why.",
  },
  confirmWithdraw: {
    title: "Withdraw the stop?",
    body: "It has not reached the robot. If it is withdrawn it never will, and the robot may go on.",
    keep: "Keep stopping",
    withdraw: "Withdraw it",
  },
  checks: { title: "The servos stay off", passed: "passed", failed: "failed", close: "Close" },
};
