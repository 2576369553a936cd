/** `npm run test:long`: more random cases, every place where the short form takes a spread of them. */
export const longForm = Boolean(process.env['TURNSTONE_LONG']);
