/** The built-in demo model, on loopback. `apiKey` keeps other programs of the machine out. */
export interface RunningDemoModel {
  readonly url: string;
  readonly apiKey: string;
  close(): Promise<void>;
}

export async function startDemoModel(): Promise<RunningDemoModel> {
  const demo = await import('../demo/startDemoModel.ts');
  return demo.startDemoModel({ pace: 'calm' });
}
