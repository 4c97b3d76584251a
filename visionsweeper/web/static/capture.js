// Frames of a window, a tab or a camera that the player shares; they stay on this machine.

import { bitmap } from "./bitmap.js";

const MOST_PLAIN = 9e6; // px that are sent without compression: the server takes 32 MB

/** What the browser can share, or why it cannot, as a sentence. */
export function refusal(kind) {
  const devices = navigator.mediaDevices;
  if (!window.isSecureContext || !devices) return "Browsers share windows only with pages of this machine: open the page at http://127.0.0.1 or http://localhost.";
  if (kind === "screen" && !devices.getDisplayMedia) return "This browser cannot share windows: on a phone, take a screenshot instead.";
  return "";
}

export class Capture extends EventTarget {
  /** `video` shows what is shared; events: frame, end. */
  constructor(video) {
    super();
    this.video = video;
    this.canvas = document.createElement("canvas");
    this.pen = this.canvas.getContext("2d", { willReadFrequently: true });
    this.stream = null;
  }

  get running() {
    return this.stream !== null;
  }

  /** Ask for a window ("screen") or the camera ("camera"); throws where it is not given. */
  async start(kind) {
    this.stop();
    const devices = navigator.mediaDevices;
    const stream = kind === "camera"
      ? await devices.getUserMedia({ video: { facingMode: "environment", width: { ideal: 1920 } } })
      : await devices.getDisplayMedia({ video: { frameRate: { max: 30 }, cursor: "never" }, audio: false, selfBrowserSurface: "exclude", surfaceSwitching: "include" });
    this.stream = stream;
    const [track] = stream.getVideoTracks();
    track.addEventListener("ended", () => this.stop());
    this.video.srcObject = stream;
    this.video.play().catch(() => {}); // what is hidden at once need not play
    // A page in the background is still told of frames by a processor, but not by its video.
    if (window.MediaStreamTrackProcessor) this.process(track);
    else this.follow(stream);
  }

  async process(track) {
    const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 1 }).readable.getReader();
    this.reader = reader;
    for (;;) {
      const { value: frame, done } = await reader.read().catch(() => ({ done: true }));
      if (done || this.reader !== reader) return void frame?.close();
      this.draw(frame, frame.displayWidth, frame.displayHeight);
      frame.close();
    }
  }

  follow(stream) {
    const next = () => {
      if (this.stream !== stream) return;
      if (this.video.videoWidth) this.draw(this.video, this.video.videoWidth, this.video.videoHeight);
      this.video.requestVideoFrameCallback(next);
    };
    this.video.requestVideoFrameCallback(next);
  }

  draw(source, width, height) {
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    this.pen.drawImage(source, 0, 0, width, height);
    this.dispatchEvent(new Event("frame"));
  }

  /**
   * A part of the frame, [x0, y0, x1, y1] in px, or all of it, as a file. Without compression, which browsers leave
   * until they are idle: for a page behind the game that is a second.
   */
  async file([x0, y0, x1, y1] = [0, 0, this.canvas.width, this.canvas.height]) {
    const [width, height] = [x1 - x0, y1 - y0];
    if (width * height <= MOST_PLAIN) return new File([bitmap(this.pen.getImageData(x0, y0, width, height))], "shared window.bmp", { type: "image/bmp" });
    const part = new OffscreenCanvas(width, height);
    part.getContext("2d").drawImage(this.canvas, -x0, -y0);
    return new File([await part.convertToBlob()], "shared window.png", { type: "image/png" });
  }

  stop() {
    if (!this.stream) return;
    this.stream.getTracks().forEach((track) => track.stop());
    this.reader?.cancel().catch(() => {});
    this.stream = this.reader = null;
    this.video.srcObject = null;
    this.dispatchEvent(new Event("end"));
  }
}
