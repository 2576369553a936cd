/**
 * What the recorded answers cost on 30 November 2026, worked out by hand from the counts they report. Above each figure,
 * pass by pass: tokens of input, output, cache writes and cache reads, each times USD per million, which comes to
 * millionths of a dollar. A stream that breaks off is charged as far as it had told.
 */
export const streamCosts: readonly (readonly [name: string, usd: number])[] = [
  // sonnet-5: 1,128×2 + 135×10 = 3,606
  // opus-4-8 advisor: 2,543×5 + 18×25 = 13,165
  // sonnet-5: 1,283×2 + 10×10 = 2,666
  ['advisor-sonnet5-iterations.sse', 0.019437],
  // sonnet-4-6: 1,051×3 + 35×15 = 3,678
  // opus-4-7 advisor: 2,728×5 + 3,880×25 = 110,640
  // sonnet-4-6: 3,676×3 + 3,356×15 = 61,368
  ['anthropic-advisor-20250301.1.chunks.txt', 0.175686],
  // opus-5: 51×5 + 1,699×25 = 42,730
  ['anthropic-claude-opus-5-reasoning-high.1.json', 0.04273],
  // sonnet-4-5: 69×3 + 53×15 = 1,002
  ['anthropic-clear-thinking.1.chunks.txt', 0.001002],
  // haiku-4-5: 859×1 + 122×5 = 1,469
  ['anthropic-clear-tool-uses.1.chunks.txt', 0.001469],
  // sonnet-5: 6×2 + 198×10 + 3,337×2.5 + 6,289×0.2 = 11,592.3
  ['anthropic-code-execution-20260120-prompt-cache.1.chunks.txt', 0.0115923],
  // opus-4-6 compaction: 60,385×5 + 522×25 = 314,975
  // opus-4-6: 612×5 + 2,819×25 = 73,535
  ['anthropic-compaction.1.chunks.txt', 0.38851],
  // fable-5: 408×10 = 4,080
  // opus-4-8 fallback: 412×5 + 264×25 = 8,660
  ['anthropic-fallback.chunks.txt', 0.01274],
  // fable-5: 408×10 = 4,080
  // opus-4-8 fallback: 412×5 + 264×25 = 8,660
  ['anthropic-fallback.json', 0.01274],
  // haiku-4-5: 849×1 + 47×5 = 1,084
  ['anthropic-json-tool.2.chunks.txt', 0.001084],
  // sonnet-4-5: 1,614×3 + 69×15 = 5,877
  ['anthropic-memory-20250818.1.json', 0.005877],
  // opus-4-5: 61×5 + 2×25 = 355
  ['anthropic-message-delta-input-tokens.chunks.txt', 0.000355],
  // fable-5: 18×10 + 5×50 = 430
  ['anthropic-refusal.chunks.txt', 0.00043],
  // sonnet-4-5: 12×3 + 30×15 = 486
  ['anthropic-text.chunks.txt', 0.000486],
  // sonnet-4-5: 565×3 + 48×15 = 2,415
  ['anthropic-tool-no-args.chunks.txt', 0.002415],
  // sonnet-4-5: 1,681×3 + 163×15 = 7,488
  // sonnet-4-5: 1,071×3 + 67×15 = 4,218
  ['anthropic-tool-search-regex.1.chunks.txt', 0.011706],
  // sonnet-4: 15,665×3 + 795×15 = 58,920
  // searches: 1×10,000 = 10,000
  ['anthropic-web-search-tool.1.chunks.txt', 0.06892],
  // sonnet-4-6 compaction: 100×3 + 83×15 + 55,096×0.3 = 18,073.8
  // sonnet-4-6: 181×3 + 8×15 = 663
  ['compaction-with-cache.sse', 0.0187368],
  // 3-haiku: 17×0.25 + 227×1.25 = 288
  ['duplicate-message-start.chunks.txt', 0.000288],
  // 3-haiku: 17×0.25 + 1×1.25 = 5.5
  ['error-mid-stream.sse', 0.0000055],
  // 3-haiku: 17×0.25 + 1×1.25 = 5.5
  ['error-overloaded-mid-stream.sse', 0.0000055],
  // fable-5: 28×10 + 106×50 = 5,580
  ['fable5-refusal-after-web-search.sse', 0.00558],
  // fable-5: 28×10 + 106×50 = 5,580
  ['fable5-refusal-stop-details.sse', 0.00558],
  // 3-haiku: 17×0.25 + 171×1.25 = 218
  ['haiku3-text-2024.sse', 0.000218],
  // haiku-4-5: 617×1 + 41×5 = 822
  ['haiku45-after-tool-result.sse', 0.000822],
  // haiku-4-5: 598×1 + 92×5 = 1,058
  ['haiku45-thinking-then-tool.sse', 0.001058],
  // haiku-4-5: 563×1 + 37×5 = 748
  ['haiku45-tool-use.sse', 0.000748],
  // sonnet-4-5: 450×3 + 124×15 = 3,210
  ['incomplete-partial-json.sse', 0.00321],
  // opus-4-6: 231×5 + 118×25 = 4,105
  ['opus46-json-schema.sse', 0.004105],
  // sonnet-4-5: 404,500×3 + 943×15 = 1,227,645 (the sum of several prompts, none of them over 200,000)
  // searches: 10×10,000 = 100,000
  ['pause-turn-1.sse', 1.327645],
  // sonnet-4-5: 482,529×3 + 1,310×15 = 1,467,237 (the sum of several prompts, none of them over 200,000)
  // searches: 5×10,000 = 50,000
  ['pause-turn-2-continued.sse', 1.517237],
  // sonnet-4-5: 92×3 + 189×15 = 3,111
  ['redacted-thinking.sse', 0.003111],
  // opus-4-7: 25×5 + 8×25 = 325
  ['sdk-fallback-block.sse', 0.000325],
  // sonnet-4-5: 25×3 + 8×15 = 195
  ['sdk-fallback-credit-usage.sse', 0.000195],
  // opus-4-8: 377×5 + 65×25 = 3,510
  ['sdk-tool-use.sse', 0.00351],
  // 3-5-sonnet: 4×3 + 221×15 + 1,165×0.3 = 3,676.5
  ['sonnet35-cache-read.sse', 0.0036765],
  // 3-5-sonnet: 4×3 + 201×15 + 1,165×3.75 = 7,395.75
  ['sonnet35-cache-write.sse', 0.00739575],
  // sonnet-4-5: 273×3 + 206×15 = 3,909
  ['sonnet45-long-text.sse', 0.003909],
  // 3-haiku: 17×0.25 + 1×1.25 = 5.5
  // 3-haiku: 17×0.25 + 65×1.25 = 85.5
  ['spliced-message-start.chunks.txt', 0.000091],
  // sonnet-4: 43×3 + 282×15 = 4,359
  ['thinking-signature.sse', 0.004359],
  // sonnet-4-6: 1,591×3 + 175×15 = 7,398
  ['tool-search-tool-use.sse', 0.007398],
  // sonnet-4: 22,397×3 + 637×15 = 76,746
  // searches: 2×10,000 = 20,000
  ['web-search-citations-thinking.sse', 0.096746],
];
