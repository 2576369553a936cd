/**
 * What the real transcripts have cost, worked out by hand from what their lines report and the price of their day. Above
 * each figure, by model: tokens of input, output, cache writes for 5 minutes and for 1 hour, and cache reads, each times
 * USD per million, which comes to millionths of a dollar.
 */
export const transcriptCosts: readonly (readonly [name: string, usd: number | null])[] = [
  // fable-5: 11,327×10 + 814×50 + 17,283×20 + 55,284×1 = 554,914
  ['derived/truncated-mid-line.jsonl', 0.554914],
  // sonnet-4: 111×3 + 3,115×15 + 43,245×3.75 + 253,950×0.3 = 285,411.75
  ['derived/truncated-mid-utf8-char.jsonl', 0.28541175],
  // haiku-4-5: 3×1 + 1×5 + 4,451×0.1 = 453.1
  ['made/dag_cycle.jsonl', 0.0004531],
  // 3-sonnet: 70×3 + 35×15 = 735
  ['made/dag_fork.jsonl', 0.000735],
  // 3-sonnet: 45×3 + 23×15 = 480
  ['made/dag_resume.jsonl', 0.00048],
  // 3-sonnet: 40×3 + 21×15 = 435
  ['made/dag_within_fork.jsonl', 0.000435],
  // 3-sonnet: 320×3 + 350×15 = 6,210
  // sonnet-4: 168×3 + 85×15 = 1,779
  ['made/edge_cases.jsonl', 0.007989],
  // Said to be of a day before the model was there: no price.
  ['made/hook_attachments.jsonl', null],
  ['made/task_id_linking.jsonl', 0],
  ['made/teammates/ef000000-0000-4000-8000-000000000001.jsonl', 0],
  ['made/teammates/ef000000-0000-4000-8000-000000000001/subagents/agent-aaaa111111111111.jsonl', 0],
  ['made/teammates/ef000000-0000-4000-8000-000000000001/subagents/agent-bbbb222222222222.jsonl', 0],
  // sonnet-4: 129×3 + 3,629×15 + 47,747×3.75 + 324,259×0.3 = 331,150.95
  ['v1.0.108-japanese-5c0375b4.jsonl', 0.33115095],
  // sonnet-4: 802,193×3 + 4,756×15 = 2,477,919
  ['v1.0.120-init-30530d66.jsonl', 2.477919],
  // opus-4-1: 24×15 + 973×75 + 50,404×18.75 + 39,660×1.5 = 1,077,900
  // sonnet-4: 125×3 + 2,157×15 + 75,878×3.75 + 1,188,312×0.3 = 673,766.1
  ['v1.0.128-two-models-interrupted.jsonl', 1.7516661],
  // sonnet-4: 88×3 + 278×15 + 16,000×3.75 + 44,544×0.3 = 77,797.2
  ['v1.0.17-interrupted-fed8ce56.jsonl', 0.0777972],
  // sonnet-4: 114×3 + 16,769×15 + 174,552×3.75 + 3,754,072×0.3 = 2,032,668.6
  ['v1.0.17-long-d3ad4cdc.jsonl', 2.0326686],
  // sonnet-4: 48×3 + 328×15 + 48,669×3.75 + 691,169×0.3 = 394,923.45
  ['v1.0.29-summaries-first.jsonl', 0.39492345],
  // opus-4-1: 14×15 + 412×75 + 13,928×18.75 + 45,168×1.5 = 360,012
  // sonnet-4-5: 216×3 + 1,906×15 + 49,274×3.75 + 208,145×0.3 = 276,459
  // sonnet-4: 33×3 + 187×15 + 25,159×3.75 + 137,993×0.3 = 138,648.15
  ['v1.0.31-2.0.55-one-real-line-per-kind.jsonl', 0.77511915],
  // sonnet-4: 43×3 + 487×15 + 25,577×3.75 + 299,222×0.3 = 193,114.35
  ['v1.0.51-system-lines.jsonl', 0.19311435],
  // opus-4: 14×15 + 643×75 + 19,749×18.75 + 36,713×1.5 = 473,798.25
  ['v1.0.55-local-command-fork.jsonl', 0.47379825],
  // sonnet-4: 12×3 + 90×15 + 31,068×3.75 + 15,542×0.3 = 122,553.6
  ['v1.0.96-98-mixed-b02ed4d8.jsonl', 0.1225536],
  // sonnet-4: 818×3 + 51,933×15 + 137,976×3.75 + 3,647,854×0.3 = 2,393,215.2
  ['v1.0.98-inline-sidechains-fe5e1c67.jsonl', 2.3932152],
  ['v1.0.x-summary-only-ff71dbed.jsonl', 0],
  ['v1.9-2.1.112-schema-drift.jsonl', 0],
  ['v2.0.0-no-assistant.jsonl', 0],
  // haiku-4-5: 1,366×1 + 190×5 = 2,316
  ['v2.0.28-agent-c63fe96c.jsonl', 0.002316],
  // sonnet-4-5: 43×3 + 3×15 + 4,330×3.75 + 44,742×0.3 = 29,834.1
  ['v2.0.28-small.jsonl', 0.0298341],
  // opus-4-5: 2,250×5 + 31,430×25 + 175,207×6.25 + 8,505,166×0.5 = 6,144,626.75
  ['v2.0.55-deep-manifest/a7da6a22-facc-4fcd-8bab-f83c87862004.jsonl', 6.14462675],
  // haiku-4-5: 869×1 + 840×5 + 41,483×1.25 + 124,362×0.1 = 69,358.95
  ['v2.0.55-deep-manifest/agent-c8d9b115.jsonl', 0.06935895],
  // opus-4-5: 18×5 + 16×25 + 35,030×6.25 + 34,788×0.5 = 236,821.5
  ['v2.0.74-no-final-newline.jsonl', 0.2368215],
  // haiku-4-5: 728×1 + 152×5 = 1,488
  ['v2.0.76-agent-warmup.jsonl', 0.001488],
  // opus-4-5: 102×5 + 2,038×25 + 649,094×6.25 + 654,807×0.5 = 4,435,701
  ['v2.0.76-compact.jsonl', 4.435701],
  // haiku-4-5: 132×1 + 1,480×5 + 8,467×1.25 + 223,265×0.1 = 40,442.25
  ['v2.0.76-manual-compact.jsonl', 0.04044225],
  // opus-4-7: 170×5 + 44,042×25 + 182,980×6.25 + 66,337×10 + 5,475,308×0.5 = 5,646,549
  ['v2.1.112-image-popall.jsonl', 5.646549],
  // opus-4-7: 1,308×5 + 22,901×25 + 102,189×10 + 728,660×0.5 = 1,965,285
  ['v2.1.114-worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1.jsonl', 1.965285],
  // opus-4-7: 11×5 + 2,508×25 + 28,741×6.25 + 118,168×0.5 = 301,470.25
  ['v2.1.114-worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-a36efb2a1231c41e2.jsonl', 0.30147025],
  // opus-4-7: 39×5 + 6,475×25 + 85,894×6.25 + 430,337×0.5 = 914,076
  ['v2.1.114-worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-a52886dc180afb356.jsonl', 0.914076],
  // opus-4-7: 10×5 + 2,373×25 + 16,998×6.25 + 100,730×0.5 = 215,977.5
  ['v2.1.114-worktrees/ef958aa1-0e93-49f0-bb71-150f63befcd1/subagents/agent-aef063ba534d73153.jsonl', 0.2159775],
  // sonnet-4-5: 4,359×3 + 111×15 + 679,802×3.75 + 4,590,193×0.3 = 3,941,057.4
  ['v2.1.14-microcompact.jsonl', 3.9410574],
  // opus-4-7: 1,487×5 + 13,404×25 + 39,399×10 + 411,327×0.5 = 942,188.5
  ['v2.1.144-rewind.jsonl', 0.9421885],
  // opus-4-8: 16,144×5 + 5,633×25 + 42,661×10 + 534,610×0.5 = 915,460
  ['v2.1.156-opus48.jsonl', 0.91546],
  // sonnet-4-5: 2,346×3 + 146×15 + 277,038×3.75 + 2,961,895×0.3 = 1,936,689
  ['v2.1.17-api-error-message.jsonl', 1.936689],
  // opus-4-5: 2×5 + 2×25 + 7,996×6.25 + 36,009×0.5 = 68,039.5
  ['v2.1.17-print-mode/29ccd257-68b1-427f-ae5f-6524b7cb6f20.jsonl', 0.0680395],
  // haiku-4-5: 4,466×1 + 18×5 + 42,768×1.25 + 236,968×0.1 = 81,712.8
  ['v2.1.17-print-mode/29ccd257-68b1-427f-ae5f-6524b7cb6f20/subagents/agent-a2271d1.jsonl', 0.0817128],
  // opus-4-5: 12×5 + 8×25 + 57,834×6.25 + 112,682×0.5 = 418,063.5
  ['v2.1.19-agent-progress.jsonl', 0.4180635],
  // fable-5: 11,327×10 + 814×50 + 17,283×20 + 55,284×1 = 554,914
  ['v2.1.205-windows-fable5.jsonl', 0.554914],
  ['v2.1.207-subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f.jsonl', 0],
  ['v2.1.207-subagent/0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f/subagents/agent-a0ad4f44468bdf20d.jsonl', 0],
  // sonnet-5: 122×2 + 31,554×10 + 183,308×4 + 6,634,723×0.2 = 2,375,960.6
  ['v2.1.217-image-sonnet5.jsonl', 2.3759606],
  // fable-5: 2×10 + 2×50 + 21,874×20 + 32,238×1 = 469,838
  // opus-4-8: 4×5 + 287×25 + 2,797×10 + 163,659×0.5 = 116,994.5
  ['v2.1.217-refusal-fallback.jsonl', 0.5868325],
  // opus-5: 473×5 + 89,129×25 + 737,624×10 + 37,535,603×0.5 = 28,374,631.5
  ['v2.1.219-compact-opus5.jsonl', 28.3746315],
  // opus-5: 2×5 + 735×25 + 21,706×10 + 33,510×0.5 = 252,200
  ['v2.1.219-windows-opus5.jsonl', 0.2522],
  // opus-4-5: 131×5 + 301×25 + 273,061×10 + 3,369,737×0.5 = 4,423,658.5
  ['v2.1.29-queue-popall.jsonl', 4.4236585],
  // opus-4-6: 21×5 + 197×25 + 58,368×10 + 911,714×0.5 = 1,044,567
  ['v2.1.32-1MB-line.jsonl', 1.044567],
  // haiku-4-5: 24×1 + 4×5 + 16,832×1.25 + 15,973×0.1 = 22,681.3
  ['v2.1.33-session-with-subagents/b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093.jsonl', 0.0226813],
  // haiku-4-5: 24×1 + 11×5 + 4,558×1.25 + 4,410×0.1 = 6,217.5
  ['v2.1.33-session-with-subagents/b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093/subagents/agent-a775a67.jsonl', 0.0062175],
  // haiku-4-5: 24×1 + 10×5 + 4,545×1.25 + 4,410×0.1 = 6,196.25
  ['v2.1.33-session-with-subagents/b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093/subagents/agent-aa9d784.jsonl', 0.00619625],
  // haiku-4-5: 24×1 + 6×5 + 4,554×1.25 + 4,410×0.1 = 6,187.5
  ['v2.1.33-session-with-subagents/b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093/subagents/agent-ac47f8c.jsonl', 0.0061875],
  // haiku-4-5: 24×1 + 6×5 + 4,554×1.25 + 4,410×0.1 = 6,187.5
  ['v2.1.33-session-with-subagents/b3a7bd3c-5a10-4e7b-8ff0-7fc0cd6d1093/subagents/agent-ae52dab.jsonl', 0.0061875],
  // haiku-4-5: 30×1 + 18×5 + 24,734×1.25 + 48,730×0.1 = 35,910.5
  ['v2.1.37-44-compact-98b76fb9.jsonl', 0.0359105],
  // opus-4-6: 57×5 + 1,489×25 + 14,409×10 + 239,356×0.5 = 301,278
  ['v2.1.38-interrupted.jsonl', 0.301278],
  // opus-4-6: 3×5 + 13×25 + 13,835×10 + 11,515×0.5 = 144,447.5
  ['v2.1.38-short-interrupted.jsonl', 0.1444475],
  // opus-4-6: 54×5 + 212×25 + 17,696×10 + 88,231×0.5 = 226,645.5
  ['v2.1.38-tool-heavy.jsonl', 0.2266455],
  // opus-4-6: 3×5 + 6×25 + 2,414×6.25 + 166,873×0.5 = 98,689
  ['v2.1.39-agent-acompact.jsonl', 0.098689],
  // opus-4-6: 23×5 + 88×25 + 9,036×10 + 239,606×0.5 = 212,478
  ['v2.1.42-rewind.jsonl', 0.212478],
  // opus-4-6: 19×5 + 878×25 + 39,232×10 + 755,311×0.5 = 792,020.5
  ['v2.1.45-740KB-line.jsonl', 0.7920205],
  // opus-4-6: 9×5 + 39×25 + 20,652×10 + 228,802×0.5 = 321,941
  ['v2.1.45-pasted-image.jsonl', 0.321941],
  // opus-4-6: 9×5 + 39×25 + 51,750×10 + 420,740×0.5 = 728,890
  ['v2.1.49-api-error-message.jsonl', 0.72889],
  // haiku-4-5: 124×1 + 551×5 + 81,890×2 + 918,346×0.1 = 258,493.6
  ['v2.1.50-system-api-error.jsonl', 0.2584936],
  // opus-4-6: 17×5 + 2,070×25 + 44,142×10 + 554,588×0.5 = 770,549
  ['v2.1.62-agentv.jsonl', 0.770549],
  // opus-4-5: 346×5 + 7,047×25 + 168,250×6.25 + 2,618,979×0.5 = 2,538,957
  ['v2.1.7-12-two-objects-on-one-line.jsonl', 2.538957],
  // opus-4-6: 17×5 + 13,656×25 + 54,086×10 + 363,034×0.5 = 1,063,862
  ['v2.1.79-agent-progress.jsonl', 1.063862],
  // Said to be of a day before the model was there: no price.
  ['v2.1.80-220-all-line-types.jsonl', null],
  ['v2.1.x-snapshots-only.jsonl', 0],
];
