/** Filled in by the build from package.json; sources that run unbuilt say so. */
export const TURNSTONE_VERSION = process.env.TURNSTONE_VERSION ?? '0.0.0-unbuilt';
