import type { Session } from '../../sdk/index.ts';
import { loadSdk } from '../loadSdk.ts';
import { sessionPlace } from '../openSession.ts';
import type { SessionService } from '../sessionService.ts';

/** Goes on in a new session with the conversation before a message; without one, with all of it. */
export async function forkAt(service: SessionService, session: Session, messageId?: string): Promise<void> {
  const { forkSession } = await loadSdk();
  const { sessionId, prompt } = await forkSession({ session: session.transcriptPath, messageId, cwd: session.cwd, dataRoot: sessionPlace().dataRoot });
  await service.switchTo(sessionId);
  await service.showAgain(prompt);
}
