import * as z from 'zod';
import { plural } from '../../base/text.ts';
import { codePlaceFields, languageServicesOf, planCodePlace, showRanges } from './codePlace.ts';
import { defineTool } from './tool.ts';

const maxShown = 200;

export const referencesTool = defineTool({
  name: 'References',
  description: "Finds all places where a name is used, by the editor's language services: the same name of something else is not among them.",
  input: () => z.object(codePlaceFields()),
  access: 'read',
  needs: 'languageServices',
  concurrencySafe: true,
  plan: planCodePlace,
  async *run({ plan }, context) {
    const found = await languageServicesOf(context).references(plan.state.position, context.signal);
    if (found.length === 0) return { content: `No use is known of ${plan.title}. The language may have no services in this editor; Grep finds text.`, result: { kind: 'search', count: 0 } };
    const files = new Set(found.map((range) => range.path)).size;
    const head = `${plural(found.length, 'place')} in ${plural(files, 'file')}:`;
    return { content: `${head}\n${await showRanges(found, maxShown, context)}`, result: { kind: 'search', count: found.length } };
  },
});
