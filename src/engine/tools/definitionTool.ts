import * as z from 'zod';
import { codePlaceFields, languageServicesOf, planCodePlace, showRanges } from './codePlace.ts';
import { defineTool } from './tool.ts';

const maxShown = 50;

export const definitionTool = defineTool({
  name: 'Definition',
  description: "Finds where a name is defined, by the editor's language services: exact, where Grep only finds text.",
  input: () => z.object(codePlaceFields()),
  access: 'read',
  needs: 'languageServices',
  concurrencySafe: true,
  plan: planCodePlace,
  async *run({ plan }, context) {
    const found = await languageServicesOf(context).definitions(plan.state.position, context.signal);
    if (found.length === 0) return { content: `No definition is known of ${plan.title}. The language may have no services in this editor; Grep finds text.`, result: { kind: 'search', count: 0 } };
    return { content: await showRanges(found, maxShown, context), result: { kind: 'search', count: found.length } };
  },
});
