// @ts-check
// The page's side of the border: see README.md beside this folder, and hexapod.d.ts for the types.

/** What a text is that is given to the core. */
const NAME = 0, URDF = 1, FILE = 2, MESH = 3;

/** A robot that cannot be loaded, with each problem. */
export class RobotError extends Error {
  constructor(problems) {
    super(problems.map(({ file, line, message }) => `${file}${line ? `:${line}` : ""}: ${message}`).join("\n"));
    this.name = "RobotError";
    this.problems = problems;
  }
}

export class Hexapod {
  #core;
  #info;
  /** Whether the state has been stepped on since it was read. */
  #stale = true;
  /** Where the state lies, in which buffer, and the views of it. */
  #at = 0;
  #buffer = null;
  #views = new Map();

  /** @private: use Hexapod.load. */
  constructor(core, info) {
    this.#core = core;
    this.#info = info;
    this.jointNames = info.legs.flatMap((leg) => leg.joints.map((joint) => joint.name));
    this.jointsPerLeg = info.legs.map((leg) => leg.joints.length);
  }

  static async load(module, description = {}) {
    const compiled = module instanceof WebAssembly.Module ? module : await WebAssembly.compile(module);
    const core = (await WebAssembly.instantiate(compiled, {})).exports;
    const give = (kind, name, bytes) => {
      write(core, encode(name));
      core.hexapod_take(NAME);
      write(core, bytes);
      core.hexapod_take(kind);
    };
    const { urdf, name = "robot.urdf", files = {}, meshes = {} } = description;
    if (urdf !== undefined) give(URDF, name, encode(urdf));
    for (const [file, text] of Object.entries(files)) give(FILE, file, encode(text));
    for (const [path, bytes] of Object.entries(meshes)) give(MESH, path, bytes);
    const loaded = core.hexapod_load();
    const answer = JSON.parse(answerOf(core));
    if (!loaded) throw new RobotError(answer);
    return new Hexapod(core, answer);
  }

  get info() {
    return this.#info;
  }

  // Commands.

  setTwist(vx, vy, wz) {
    return this.#asked(this.#core.hexapod_set_twist(vx, vy, wz));
  }
  setArc(velocity, curvature) {
    return this.#asked(this.#core.hexapod_set_arc(velocity, curvature));
  }
  setBodyPose(x, y, z, roll, pitch, yaw) {
    return this.#asked(this.#core.hexapod_set_body_pose(x, y, z, roll, pitch, yaw));
  }
  setGait(name) {
    write(this.#core, encode(name));
    return this.#asked(this.#core.hexapod_set_gait());
  }
  setStepHeight(height) {
    return this.#asked(this.#core.hexapod_set_step_height(height));
  }
  setContact(leg, felt) {
    return this.#asked(this.#core.hexapod_set_contact(leg, felt === null ? -1 : Number(felt)));
  }
  play(motion) {
    write(this.#core, encode(motion));
    return this.#asked(this.#core.hexapod_play());
  }
  finishMotion() {
    return this.#asked(this.#core.hexapod_finish_motion());
  }
  stand() {
    return this.#asked(this.#core.hexapod_stand());
  }
  sit() {
    return this.#asked(this.#core.hexapod_sit());
  }
  pack() {
    return this.#asked(this.#core.hexapod_pack());
  }
  stop() {
    return this.#asked(this.#core.hexapod_stop());
  }
  freeze() {
    return this.#asked(this.#core.hexapod_freeze());
  }
  reset() {
    return this.#asked(this.#core.hexapod_reset());
  }
  step(dt) {
    this.#core.hexapod_step(dt);
    this.#stale = true;
  }

  // State.

  get time() {
    return this.#number("time");
  }
  get joints() {
    return this.#part("joints");
  }
  get velocities() {
    return this.#part("velocities");
  }
  get feet() {
    return this.#part("feet");
  }
  get feetInOdom() {
    return this.#part("feetInOdom");
  }
  get contacts() {
    return this.#part("contacts");
  }
  get body() {
    return this.#part("body");
  }
  get odom() {
    return this.#part("odom");
  }
  get footprint() {
    return this.#part("footprint");
  }
  get legPoints() {
    return this.#part("legPoints");
  }
  get support() {
    return this.#part("support").subarray(0, 2 * this.#number("corners"));
  }
  get centre() {
    return this.#part("centre");
  }
  get margin() {
    return this.#number("margin");
  }
  get twist() {
    return this.#part("twist");
  }
  get wantedTwist() {
    return this.#part("wantedTwist");
  }
  get travelled() {
    return this.#number("travelled");
  }
  get turned() {
    return this.#number("turned");
  }
  get phase() {
    return this.#number("phase");
  }
  get state() {
    return this.#info.states[this.#number("state")];
  }
  get limitedBy() {
    return this.#info.limitedBy[this.#number("limitedBy")];
  }
  get gait() {
    return this.#info.gaits[this.#number("gait")]?.name ?? "";
  }
  get motion() {
    return this.#info.motions[this.#number("motion")]?.name ?? "";
  }
  get motionProgress() {
    return this.#number("motionProgress");
  }
  get packed() {
    return this.#number("packed") === 1;
  }
  get remark() {
    this.#core.hexapod_remark();
    return answerOf(this.#core);
  }

  get numbers() {
    return this.#part("all");
  }

  /** Why a command was refused, or "". */
  #asked(done) {
    this.#stale = true;
    return done ? "" : answerOf(this.#core);
  }

  #number(name) {
    return this.#part(name)[0];
  }

  /** A view of a part of the state, written down anew after a step. */
  #part(name) {
    if (this.#stale) {
      this.#at = this.#core.hexapod_state();
      this.#stale = false;
    }
    const { buffer } = this.#core.memory;
    if (buffer !== this.#buffer) {
      // The core's memory has grown: what was seen of the old one is detached.
      this.#buffer = buffer;
      this.#views.clear();
    }
    let view = this.#views.get(name);
    if (view === undefined) {
      const { at, length } = this.#info.layout[name];
      view = new Float64Array(buffer, this.#at + 8 * at, length);
      this.#views.set(name, view);
    }
    return view;
  }
}

function encode(text) {
  return new TextEncoder().encode(text);
}

/** Writes what the next call takes. */
function write(core, bytes) {
  const at = core.hexapod_room(bytes.length);
  new Uint8Array(core.memory.buffer, at, bytes.length).set(bytes);
}

/** The core's answer in words. */
function answerOf(core) {
  const at = core.hexapod_answer();
  return new TextDecoder().decode(new Uint8Array(core.memory.buffer, at, core.hexapod_answer_length()));
}
