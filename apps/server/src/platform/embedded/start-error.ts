/** A reason for not starting that the operator can act on: printed as it is, without a stack. */
export class StartError extends Error {
  /** Exit code of the process: 2 for wrong settings, 1 for everything else. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.name = "StartError";
    this.exitCode = exitCode;
  }
}
