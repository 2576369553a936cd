/** What `/init` asks of the model. */
export const initPrompt = `Look at this project and write a CLAUDE.md in the working folder for agents that will work here. If there is one already, improve it and keep what is right.

Read what tells most first: README, package manifests, build and CI files, existing instruction files (AGENTS.md, .cursorrules, .github/copilot-instructions.md), then enough of the sources to see how they hang together.

What belongs in it
- The commands to build, lint and test, and how to run a single test.
- The architecture that takes several files to see: the parts, who calls whom, where data lives.
- Rules of the house that the sources show and that a newcomer would break.

What does not: what is plain from a listing of the files, general advice, anything you have not seen proven in the project. Keep it under a hundred lines.`;
