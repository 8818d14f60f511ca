/**
 * The looks of the page of a dashboard: no file, font or script besides. Light and dark as the reader's system has it.
 */
export const DASHBOARD_STYLE = `
:root { color-scheme: light dark; --back: #ffffff; --raised: #f5f6f8; --line: #dfe2e8; --text: #1c2330; --soft: #5b6475;
  --completed: #227a49; --failed: #d1242f; --killed: #8250df; --running: #0969da; --waiting: #5661c4; --scheduled: #667080;
  --missed: #bc4c00; --now: #0969da; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181f; --raised: #1c222c; --line: #333c4a; --text: #e3e8f0; --soft: #9aa5b6;
    --completed: #4cc38a; --failed: #ff6b6b; --killed: #d2a8ff; --running: #58a6ff; --waiting: #a5b0f5; --scheduled: #7d8899;
    --missed: #ff9b50; --now: #58a6ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 24px; max-width: 1600px; background: var(--back); color: var(--text);
  font: 14px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif; }
h1 { font-size: 22px; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 16px; margin: 28px 0 10px; }
p { margin: 4px 0; color: var(--soft); }
.counts { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 0; padding: 0; list-style: none; }
.counts li { min-width: 104px; padding: 8px 14px; background: var(--raised); border: 1px solid var(--line);
  border-left: 4px solid var(--kind, var(--line)); border-radius: 6px; color: var(--soft); }
.counts b { display: block; font-size: 22px; line-height: 1.2; color: var(--text); font-variant-numeric: tabular-nums; }
.completed { --kind: var(--completed); } .failed { --kind: var(--failed); } .killed { --kind: var(--killed); }
.running { --kind: var(--running); } .waiting { --kind: var(--waiting); } .scheduled { --kind: var(--scheduled); }
.missed { --kind: var(--missed); }
.time { border: 1px solid var(--line); border-radius: 6px; overflow: clip; }
.row { display: grid; grid-template-columns: minmax(110px, 22%) 1fr 84px 84px; align-items: center; }
.row:nth-child(even) { background: var(--raised); }
.row > span { padding: 3px 10px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.row > .took { text-align: right; padding: 3px 8px; color: var(--soft); font-variant-numeric: tabular-nums; }
.row.namespace { grid-template-columns: 1fr; background: var(--line); font-weight: 600; }
.row.scale { position: sticky; top: 0; z-index: 5; background: var(--back); border-bottom: 1px solid var(--line); }
.track { position: relative; align-self: stretch; min-height: 26px; margin-right: 14px; }
.track i, .track a { position: absolute; }
a { color: inherit; }
.scale .track { height: 26px; }
.scale i { top: 4px; padding-left: 4px; border-left: 1px solid var(--line); height: 22px; color: var(--soft); font-style: normal;
  font-size: 12px; white-space: nowrap; font-variant-numeric: tabular-nums; }
.grid { top: 0; bottom: 0; border-left: 1px solid var(--line); }
.now { top: 0; bottom: 0; border-left: 2px solid var(--now); opacity: .75; }
.run { top: calc(50% - 6px); height: 12px; min-width: 4px; border-radius: 2px; background: var(--kind); }
.run.failed { top: calc(50% - 9px); height: 18px; min-width: 6px; z-index: 3;
  background: repeating-linear-gradient(135deg, var(--kind) 0 4px, color-mix(in srgb, var(--kind) 65%, var(--back)) 4px 7px); }
.run.killed { background: var(--back); border: 2px solid var(--kind); min-width: 6px; z-index: 2; }
.run.running { border-radius: 2px 7px 7px 2px; z-index: 2; min-width: 8px; }
.run.waiting { opacity: .7; border-radius: 2px 7px 7px 2px; min-width: 8px; }
.dot { top: calc(50% - 5px); width: 10px; height: 10px; margin-left: -5px; border: 2px solid var(--kind); border-radius: 50%; }
.dot.missed { border-radius: 0; transform: rotate(45deg); background: var(--kind); z-index: 3; }
.legend { display: flex; flex-wrap: wrap; gap: 6px 18px; margin: 0 0 10px; padding: 0; list-style: none; color: var(--soft); }
.legend i { position: relative; display: inline-block; top: 1px; width: 16px; height: 12px; margin: 0 7px 0 0; }
.legend i.run.failed { top: 1px; height: 12px; }
.legend i.dot { width: 10px; height: 10px; margin-left: 3px; }
.legend i.now { width: 0; height: 14px; top: 3px; margin-left: 3px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 12px 5px 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
td.name { white-space: normal; overflow-wrap: anywhere; min-width: 110px; max-width: 340px; }
td.state { color: var(--kind); font-weight: 600; }
td.right, th.right { text-align: right; padding-right: 24px; }
code { font: 12px ui-monospace, 'DejaVu Sans Mono', monospace; color: var(--soft); }
.empty { padding: 36px; text-align: center; border: 1px dashed var(--line); border-radius: 6px; }
@media (max-width: 1400px) { .scale i.last { display: none; } }
@media (max-width: 700px) { body { padding: 12px; } .row { grid-template-columns: 1fr; } .track { margin: 0 10px; } .row > .took { display: none; } }
@media print { body { max-width: none; padding: 0; } * { print-color-adjust: exact; } }
`;
