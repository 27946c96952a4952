import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"What a terminal shows","description":"","frontmatter":{},"headers":[],"relativePath":"docs/reference/terminal.md","filePath":"docs/reference/terminal.md"}',
);
const _sfc_main = { name: 'docs/reference/terminal.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="what-a-terminal-shows" tabindex="-1">What a terminal shows <a class="header-anchor" href="#what-a-terminal-shows" aria-label="Permalink to &quot;What a terminal shows&quot;">​</a></h1><p><code>raymond start</code>, and every other command that follows a run, draws on stderr when that is a terminal: events scroll by, a table of the agents stays below them, and questions are answered where they are shown. This page explains the parts; the views at its end are real runs, captured as text.</p><h2 id="while-a-run-continues" tabindex="-1">While a run continues <a class="header-anchor" href="#while-a-run-continues" aria-label="Permalink to &quot;While a run continues&quot;">​</a></h2><ul><li><strong>Events</strong>: each recorded turn is a line with the agent, its state, its transition, its time and its cost. Prints, warnings and failures are lines, too.</li><li><strong>Retries</strong>: a failure that is tried again says so: <code>(try 1 of 3, again in 1 s)</code>. A reply without a valid transition says which reminder follows: <code>(reminder 2 of 3 follows)</code>.</li><li><strong>Pollers</strong>: a delay stands beside the transition (<code>START.sh (reset, in 4 s)</code>). Equal rounds of one agent are shown once and then counted: <code>… 4 more rounds, the last at 12:40:45</code>. <code>history</code> and <code>logs</code> do the same; <code>history --all</code> lists every turn.</li><li><strong>The table</strong> has a line per agent: a glyph, its name, its state, the time of its running turn, its cost, its fork attributes, and its last output. <code>●</code> works, <code>◌</code> waits, <code>?</code> asks a person, <code>⏸</code> is paused, <code>✓</code> and <code>✗</code> have ended. When not all agents fit, <code>main</code> and those that need a person stay, and the others are counted. The line below has the time, the cost and the budget of the run, and the number of agents by status.</li><li><strong>A question</strong> stands above the table. Type the answer into the line below the table: Enter sends it, Tab chooses the next question, Backspace and Ctrl-U delete. Your text is never sent to another question: when its question is no longer open, press Tab to choose one. <code>raymond answer</code> works at the same time in another terminal; the first answer counts.</li><li><strong>The title</strong> of the terminal has the number of agents by status (<code>raymond review-1: 3 running, 1 asks</code>). At the end the old title returns, or none if the terminal does not keep it.</li><li><strong>Ctrl-C</strong> pauses the run after the current turns; a second one pauses it at once. On a cluster it only ends the following.</li></ul><h2 id="when-an-argument-is-missing" tabindex="-1">When an argument is missing <a class="header-anchor" href="#when-an-argument-is-missing" aria-label="Permalink to &quot;When an argument is missing&quot;">​</a></h2><p>A command without its workflow, run, agent or question offers a list: the arrow keys choose, Enter accepts, Ctrl-C ends the command with 130. <code>raymond answer</code> lists the runs with open questions, shows the chosen question and reads the answer. With <code>--json</code>, without a terminal on stdin and stdout, or when the list would be empty, the command reports the missing argument.</p><h2 id="when-it-has-ended" tabindex="-1">When it has ended <a class="header-anchor" href="#when-it-has-ended" aria-label="Permalink to &quot;When it has ended&quot;">​</a></h2><p>The table is gone. Each agent has one last line: the first line of its result or failure, its time from the first turn to the end, and its cost. Of more than 20 agents, <code>main</code> and those that failed are shown. Below are the sums and the next step. The result of <code>main</code> is on stdout.</p><h2 id="other-environments" tabindex="-1">Other environments <a class="header-anchor" href="#other-environments" aria-label="Permalink to &quot;Other environments&quot;">​</a></h2><ul><li>Without a terminal (a pipe, a log, CI) every line begins with the time of day, the first line of a forked agent names its attributes, nothing is redrawn, and the end is one line. <code>TERM=dumb</code> has the same effect.</li><li><code>NO_COLOR</code> removes the colours only. Without a UTF-8 locale the glyphs are ASCII.</li><li><code>--quiet</code> shows only the result and errors; <code>--verbose</code> also shows what states print. <code>--json</code> prints one document on stdout instead of the result.</li></ul><h2 id="views" tabindex="-1">Views <a class="header-anchor" href="#views" aria-label="Permalink to &quot;Views&quot;">​</a></h2><h3 id="running-80-columns-embedded" tabindex="-1">Running, 80 columns, embedded <a class="header-anchor" href="#running-80-columns-embedded" aria-label="Permalink to &quot;Running, 80 columns, embedded&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-1: 2 running</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-1</span></span>
<span class="line"><span>started the Temporal server 1.29.1 (pid 19483); Web UI: http://127.0.0.1:27397</span></span>
<span class="line"><span>run review-1 · http://127.0.0.1:27397/namespaces/default/workflows/review-1</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.45 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.04 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.61 s, $0.0100</span></span>
<span class="line"><span>◌ main        WAIT.sh  awaiting  $0.0400</span></span>
<span class="line"><span>● main_read1  READ.md  2.1 s  file=parser.ts</span></span>
<span class="line"><span>● main_read2  READ.md  2.1 s  file=printer.ts</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>6.4 s · $0.0500 of $10.00 · 2 running, 1 awaiting, 1 completed</span></span></code></pre></div><h3 id="a-question-being-answered-in-place-80-columns-embedded" tabindex="-1">A question, being answered in place, 80 columns, embedded <a class="header-anchor" href="#a-question-being-answered-in-place-80-columns-embedded" aria-label="Permalink to &quot;A question, being answered in place, 80 columns, embedded&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-1: 1 asks</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-1</span></span>
<span class="line"><span>started the Temporal server 1.29.1 (pid 19483); Web UI: http://127.0.0.1:27397</span></span>
<span class="line"><span>run review-1 · http://127.0.0.1:27397/namespaces/default/workflows/review-1</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.45 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.04 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.61 s, $0.0100</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 2.4 s, $0.12</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 2.3 s, $0.0900</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.03 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-1 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>? main        ASK.sh  asking  $0.0400</span></span>
<span class="line"><span>✓ main_read1  READ.md  $0.0900  file=parser.ts</span></span>
<span class="line"><span>✓ main_read2  READ.md  $0.12  file=printer.ts</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>9.0 s · $0.26 of $10.00 · 3 completed, 1 asking</span></span>
<span class="line"><span>answer main&gt; yes, after the ty▏</span></span></code></pre></div><h3 id="completed-80-columns-embedded" tabindex="-1">Completed, 80 columns, embedded <a class="header-anchor" href="#completed-80-columns-embedded" aria-label="Permalink to &quot;Completed, 80 columns, embedded&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-1</span></span>
<span class="line"><span>started the Temporal server 1.29.1 (pid 19483); Web UI: http://127.0.0.1:27397</span></span>
<span class="line"><span>run review-1 · http://127.0.0.1:27397/namespaces/default/workflows/review-1</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.45 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.04 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.61 s, $0.0100</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 2.4 s, $0.12</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 2.3 s, $0.0900</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.03 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-1 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>answered ask_main_3</span></span>
<span class="line"><span>main END.sh → result &quot;merged: yes, after the typo&quot; 0.02 s</span></span>
<span class="line"><span>merged: yes, after the typo</span></span>
<span class="line"><span>✓ main        6.7 s  $0.0400  merged: yes, after the typo</span></span>
<span class="line"><span>✓ main_read1  3.1 s  $0.0900  file=parser.ts · 1 finding: an edge case</span></span>
<span class="line"><span>✓ main_read2  3.1 s  $0.12  file=printer.ts · 1 finding: a typo</span></span>
<span class="line"><span>✓ main_read3  1.6 s  $0.0100  file=README.md · no findings</span></span>
<span class="line"><span>9.3 s · $0.26 of $10.00 · 4 completed</span></span>
<span class="line"><span>completed: review-1</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="failed-80-columns-embedded" tabindex="-1">Failed, 80 columns, embedded <a class="header-anchor" href="#failed-80-columns-embedded" aria-label="Permalink to &quot;Failed, 80 columns, embedded&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start broken --id broken-1</span></span>
<span class="line"><span>run broken-1 · http://127.0.0.1:27397/namespaces/default/workflows/broken-1</span></span>
<span class="line"><span>main START.sh → WAIT.sh (fork PART.sh, PART.sh) 0.04 s</span></span>
<span class="line"><span>main WAIT.sh → result &quot;started all parts&quot; 0.03 s</span></span>
<span class="line"><span>main_part1 PART.sh → result &quot;fine&quot; 0.03 s</span></span>
<span class="line"><span>main_part2, PART.sh: the script ended with exit code 3</span></span>
<span class="line"><span>no space for two</span></span>
<span class="line"><span>started all parts</span></span>
<span class="line"><span>✓ main        578 ms  started all parts</span></span>
<span class="line"><span>✓ main_part1  348 ms  part=one · fine</span></span>
<span class="line"><span>✗ main_part2  failed  448 ms  part=two · PART.sh: the script ended with exit c…</span></span>
<span class="line"><span>3.1 s · $0.00 of $10.00 · 2 completed, 1 failed</span></span>
<span class="line"><span>failed: broken-1</span></span>
<span class="line"><span>fix the cause, then run: raymond resume broken-1</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="100-agents-100-columns-embedded" tabindex="-1">100 agents, 100 columns, embedded <a class="header-anchor" href="#100-agents-100-columns-embedded" aria-label="Permalink to &quot;100 agents, 100 columns, embedded&quot;">​</a></h3><p>The title of the terminal: <code>raymond crowd-1: 59 running</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>main_work40 WORK.sh → result &quot;item 40 done&quot; 0.02 s</span></span>
<span class="line"><span>main_work33 WORK.sh → result &quot;item 33 done&quot; 0.03 s</span></span>
<span class="line"><span>main_work37 WORK.sh → result &quot;item 37 done&quot; 0.03 s</span></span>
<span class="line"><span>main_work35 WORK.sh → result &quot;item 35 done&quot; 0.09 s</span></span>
<span class="line"><span>main_work38 WORK.sh → result &quot;item 38 done&quot; 0.02 s</span></span>
<span class="line"><span>main_work39 WORK.sh → result &quot;item 39 done&quot; 0.03 s</span></span>
<span class="line"><span>main WAIT.sh → END.sh (await) 0.04 s</span></span>
<span class="line"><span>main_work36 WORK.sh → result &quot;item 36 done&quot; 0.21 s</span></span>
<span class="line"><span>◌ main         WAIT.sh  awaiting</span></span>
<span class="line"><span>● main_work99  WORK.sh  13 s  item=99</span></span>
<span class="line"><span>● main_work64  WORK.sh  12 s  item=64</span></span>
<span class="line"><span>● main_work41  WORK.sh  10 s  item=41</span></span>
<span class="line"><span>● main_work42  WORK.sh  10 s  item=42</span></span>
<span class="line"><span>● main_work43  WORK.sh  8.1 s  item=43</span></span>
<span class="line"><span>● main_work44  WORK.sh  2.3 s  item=44</span></span>
<span class="line"><span>● main_work45  WORK.sh  11 s  item=45</span></span>
<span class="line"><span>● main_work46  WORK.sh  7.8 s  item=46</span></span>
<span class="line"><span>● main_work47  WORK.sh  7.7 s  item=47</span></span>
<span class="line"><span>● main_work48  WORK.sh  7.8 s  item=48</span></span>
<span class="line"><span>● main_work49  WORK.sh  7.7 s  item=49</span></span>
<span class="line"><span>● main_work50  WORK.sh  10 s  item=50</span></span>
<span class="line"><span>● main_work51  WORK.sh  10 s  item=51</span></span>
<span class="line"><span>● main_work52  WORK.sh  554 ms  item=52</span></span>
<span class="line"><span>● main_work53  WORK.sh  9.0 s  item=53</span></span>
<span class="line"><span>● main_work54  WORK.sh  10 s  item=54</span></span>
<span class="line"><span>● main_work55  WORK.sh  9.0 s  item=55</span></span>
<span class="line"><span>● main_work56  WORK.sh  9.1 s  item=56</span></span>
<span class="line"><span>and 81 more: 41 running in WORK.sh, 40 completed in WORK.sh</span></span>
<span class="line"><span>16 s · $0.00 of $10.00 · 59 running, 40 completed, 1 awaiting</span></span></code></pre></div><h3 id="the-end-of-100-agents-100-columns-embedded" tabindex="-1">The end of 100 agents, 100 columns, embedded <a class="header-anchor" href="#the-end-of-100-agents-100-columns-embedded" aria-label="Permalink to &quot;The end of 100 agents, 100 columns, embedded&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>main_work61 WORK.sh → result &quot;item 61 done&quot; 5.5 s</span></span>
<span class="line"><span>main_work52 WORK.sh → result &quot;item 52 done&quot; 1.1 s</span></span>
<span class="line"><span>main_work62 WORK.sh → result &quot;item 62 done&quot; 9.4 s</span></span>
<span class="line"><span>main_work83 WORK.sh → result &quot;item 83 done&quot; 6.6 s</span></span>
<span class="line"><span>main_work66 WORK.sh → result &quot;item 66 done&quot; 11.0 s</span></span>
<span class="line"><span>main END.sh → result &quot;all done&quot; 0.01 s</span></span>
<span class="line"><span>all done</span></span>
<span class="line"><span>✓ main         17 s  all done</span></span>
<span class="line"><span>✓ main_work82  5.4 s  item=82 · item 82 done</span></span>
<span class="line"><span>✓ main_work83  9.3 s  item=83 · item 83 done</span></span>
<span class="line"><span>✓ main_work84  5.7 s  item=84 · item 84 done</span></span>
<span class="line"><span>✓ main_work85  8.0 s  item=85 · item 85 done</span></span>
<span class="line"><span>✓ main_work86  8.3 s  item=86 · item 86 done</span></span>
<span class="line"><span>✓ main_work87  4.5 s  item=87 · item 87 done</span></span>
<span class="line"><span>✓ main_work88  12 s  item=88 · item 88 done</span></span>
<span class="line"><span>✓ main_work89  12 s  item=89 · item 89 done</span></span>
<span class="line"><span>✓ main_work90  11 s  item=90 · item 90 done</span></span>
<span class="line"><span>✓ main_work91  8.4 s  item=91 · item 91 done</span></span>
<span class="line"><span>✓ main_work92  8.2 s  item=92 · item 92 done</span></span>
<span class="line"><span>✓ main_work93  6.0 s  item=93 · item 93 done</span></span>
<span class="line"><span>✓ main_work94  9.0 s  item=94 · item 94 done</span></span>
<span class="line"><span>✓ main_work95  11 s  item=95 · item 95 done</span></span>
<span class="line"><span>✓ main_work96  13 s  item=96 · item 96 done</span></span>
<span class="line"><span>✓ main_work97  5.1 s  item=97 · item 97 done</span></span>
<span class="line"><span>✓ main_work98  13 s  item=98 · item 98 done</span></span>
<span class="line"><span>✓ main_work99  15 s  item=99 · item 99 done</span></span>
<span class="line"><span>and 81 more: 81 completed</span></span>
<span class="line"><span>19 s · $0.00 of $10.00 · 100 completed</span></span>
<span class="line"><span>completed: crowd-1</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="running-60-columns-embedded" tabindex="-1">Running, 60 columns, embedded <a class="header-anchor" href="#running-60-columns-embedded" aria-label="Permalink to &quot;Running, 60 columns, embedded&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-2: 2 running</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-2</span></span>
<span class="line"><span>run review-2 · http://127.0.0.1:27397/namespaces/default/wor</span></span>
<span class="line"><span>kflows/review-2</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.4</span></span>
<span class="line"><span>0 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.08 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.35 s, $0.0100</span></span>
<span class="line"><span>◌ main        WAIT.sh  awaiting  $0.0400</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>● main_read2  READ.md  1.7 s  file=printer.ts</span></span>
<span class="line"><span>● main_read1  READ.md  1.6 s  file=parser.ts</span></span>
<span class="line"><span>5.1 s · $0.0500 of $10.00 · 2 running, 1 awaiting, 1 comp…</span></span></code></pre></div><h3 id="a-question-being-answered-in-place-60-columns-embedded" tabindex="-1">A question, being answered in place, 60 columns, embedded <a class="header-anchor" href="#a-question-being-answered-in-place-60-columns-embedded" aria-label="Permalink to &quot;A question, being answered in place, 60 columns, embedded&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-2: 1 asks</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-2</span></span>
<span class="line"><span>run review-2 · http://127.0.0.1:27397/namespaces/default/wor</span></span>
<span class="line"><span>kflows/review-2</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.4</span></span>
<span class="line"><span>0 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.08 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.35 s, $0.0100</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 1.8 s, $0.12</span></span>
<span class="line"><span>00</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 1.7 s,</span></span>
<span class="line"><span> $0.0900</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.02 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-2 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>? main        ASK.sh  asking  $0.0400</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>✓ main_read2  READ.md  $0.12  file=printer.ts</span></span>
<span class="line"><span>✓ main_read1  READ.md  $0.0900  file=parser.ts</span></span>
<span class="line"><span>7.7 s · $0.26 of $10.00 · 3 completed, 1 asking</span></span>
<span class="line"><span>answer main&gt; yes, after the ty▏</span></span></code></pre></div><h3 id="completed-60-columns-embedded" tabindex="-1">Completed, 60 columns, embedded <a class="header-anchor" href="#completed-60-columns-embedded" aria-label="Permalink to &quot;Completed, 60 columns, embedded&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-2</span></span>
<span class="line"><span>run review-2 · http://127.0.0.1:27397/namespaces/default/wor</span></span>
<span class="line"><span>kflows/review-2</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.4</span></span>
<span class="line"><span>0 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.08 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.35 s, $0.0100</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 1.8 s, $0.12</span></span>
<span class="line"><span>00</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 1.7 s,</span></span>
<span class="line"><span> $0.0900</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.02 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-2 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>answered ask_main_3</span></span>
<span class="line"><span>main END.sh → result &quot;merged: yes, after the typo&quot; 0.02 s</span></span>
<span class="line"><span>merged: yes, after the typo</span></span>
<span class="line"><span>✓ main        5.7 s  $0.0400  merged: yes, after the typo</span></span>
<span class="line"><span>✓ main_read1  2.3 s  $0.0900  file=parser.ts · 1 finding: …</span></span>
<span class="line"><span>✓ main_read2  2.2 s  $0.12  file=printer.ts · 1 finding:…</span></span>
<span class="line"><span>✓ main_read3  689 ms  $0.0100  file=README.md · no findings</span></span>
<span class="line"><span>8.0 s · $0.26 of $10.00 · 4 completed</span></span>
<span class="line"><span>completed: review-2</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="running-80-columns-on-a-cluster" tabindex="-1">Running, 80 columns, on a cluster <a class="header-anchor" href="#running-80-columns-on-a-cluster" aria-label="Permalink to &quot;Running, 80 columns, on a cluster&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-1: 2 running</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-1 --address 127.0.0.1:23504</span></span>
<span class="line"><span>run review-1</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.21 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.07 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.51 s, $0.0100</span></span>
<span class="line"><span>◌ main        WAIT.sh  awaiting  $0.0400</span></span>
<span class="line"><span>● main_read1  READ.md  file=parser.ts</span></span>
<span class="line"><span>● main_read2  READ.md  file=printer.ts</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>2.8 s · $0.0500 of $10.00 · 2 running, 1 awaiting, 1 completed</span></span></code></pre></div><h3 id="a-question-being-answered-in-place-80-columns-on-a-cluster" tabindex="-1">A question, being answered in place, 80 columns, on a cluster <a class="header-anchor" href="#a-question-being-answered-in-place-80-columns-on-a-cluster" aria-label="Permalink to &quot;A question, being answered in place, 80 columns, on a cluster&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-1: 1 asks</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-1 --address 127.0.0.1:23504</span></span>
<span class="line"><span>run review-1</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.21 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.07 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.51 s, $0.0100</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 1.2 s, $0.0900</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 1.3 s, $0.12</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.03 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-1 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>? main        ASK.sh  asking  $0.0400</span></span>
<span class="line"><span>✓ main_read1  READ.md  $0.0900  file=parser.ts</span></span>
<span class="line"><span>✓ main_read2  READ.md  $0.12  file=printer.ts</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>5.3 s · $0.26 of $10.00 · 3 completed, 1 asking</span></span>
<span class="line"><span>answer main&gt; yes, after the ty▏</span></span></code></pre></div><h3 id="completed-80-columns-on-a-cluster" tabindex="-1">Completed, 80 columns, on a cluster <a class="header-anchor" href="#completed-80-columns-on-a-cluster" aria-label="Permalink to &quot;Completed, 80 columns, on a cluster&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-1 --address 127.0.0.1:23504</span></span>
<span class="line"><span>run review-1</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.21 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.07 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.51 s, $0.0100</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 1.2 s, $0.0900</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 1.3 s, $0.12</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.03 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-1 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>answered ask_main_3</span></span>
<span class="line"><span>main END.sh → result &quot;merged: yes, after the typo&quot; 0.02 s</span></span>
<span class="line"><span>merged: yes, after the typo</span></span>
<span class="line"><span>✓ main        5.2 s  $0.0400  merged: yes, after the typo</span></span>
<span class="line"><span>✓ main_read1  2.1 s  $0.0900  file=parser.ts · 1 finding: an edge case</span></span>
<span class="line"><span>✓ main_read2  2.1 s  $0.12  file=printer.ts · 1 finding: a typo</span></span>
<span class="line"><span>✓ main_read3  1.1 s  $0.0100  file=README.md · no findings</span></span>
<span class="line"><span>5.5 s · $0.26 of $10.00 · 4 completed</span></span>
<span class="line"><span>completed: review-1</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="failed-80-columns-on-a-cluster" tabindex="-1">Failed, 80 columns, on a cluster <a class="header-anchor" href="#failed-80-columns-on-a-cluster" aria-label="Permalink to &quot;Failed, 80 columns, on a cluster&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start broken --id broken-1 --address 127.0.0.1:23504</span></span>
<span class="line"><span>run broken-1</span></span>
<span class="line"><span>main START.sh → WAIT.sh (fork PART.sh, PART.sh) 0.01 s</span></span>
<span class="line"><span>main WAIT.sh → result &quot;started all parts&quot; 0.04 s</span></span>
<span class="line"><span>main_part1 PART.sh → result &quot;fine&quot; 0.03 s</span></span>
<span class="line"><span>main_part2, PART.sh: the script ended with exit code 3</span></span>
<span class="line"><span>no space for two</span></span>
<span class="line"><span>started all parts</span></span>
<span class="line"><span>✓ main        401 ms  started all parts</span></span>
<span class="line"><span>✓ main_part1  234 ms  part=one · fine</span></span>
<span class="line"><span>✗ main_part2  failed  278 ms  part=two · PART.sh: the script ended with exit c…</span></span>
<span class="line"><span>560 ms · $0.00 of $10.00 · 2 completed, 1 failed</span></span>
<span class="line"><span>failed: broken-1</span></span>
<span class="line"><span>fix the cause, then run: raymond resume broken-1</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="100-agents-100-columns-on-a-cluster" tabindex="-1">100 agents, 100 columns, on a cluster <a class="header-anchor" href="#100-agents-100-columns-on-a-cluster" aria-label="Permalink to &quot;100 agents, 100 columns, on a cluster&quot;">​</a></h3><p>The title of the terminal: <code>raymond crowd-1: 59 running</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>main_work30 WORK.sh → result &quot;item 30 done&quot; 0.02 s</span></span>
<span class="line"><span>main_work28 WORK.sh → result &quot;item 28 done&quot; 0.02 s</span></span>
<span class="line"><span>main_work6 WORK.sh → result &quot;item 6 done&quot; 0.01 s</span></span>
<span class="line"><span>main_work13 WORK.sh → result &quot;item 13 done&quot; 0.03 s</span></span>
<span class="line"><span>main_work27 WORK.sh → result &quot;item 27 done&quot; 0.05 s</span></span>
<span class="line"><span>main_work34 WORK.sh → result &quot;item 34 done&quot; 0.04 s</span></span>
<span class="line"><span>main WAIT.sh → END.sh (await) 0.03 s</span></span>
<span class="line"><span>main_work39 WORK.sh → result &quot;item 39 done&quot; 0.01 s</span></span>
<span class="line"><span>◌ main         WAIT.sh  awaiting</span></span>
<span class="line"><span>● main_work41  WORK.sh  item=41</span></span>
<span class="line"><span>● main_work42  WORK.sh  item=42</span></span>
<span class="line"><span>● main_work43  WORK.sh  item=43</span></span>
<span class="line"><span>● main_work44  WORK.sh  item=44</span></span>
<span class="line"><span>● main_work45  WORK.sh  item=45</span></span>
<span class="line"><span>● main_work46  WORK.sh  item=46</span></span>
<span class="line"><span>● main_work47  WORK.sh  item=47</span></span>
<span class="line"><span>● main_work48  WORK.sh  item=48</span></span>
<span class="line"><span>● main_work49  WORK.sh  item=49</span></span>
<span class="line"><span>● main_work50  WORK.sh  item=50</span></span>
<span class="line"><span>● main_work51  WORK.sh  item=51</span></span>
<span class="line"><span>● main_work52  WORK.sh  item=52</span></span>
<span class="line"><span>● main_work53  WORK.sh  item=53</span></span>
<span class="line"><span>● main_work54  WORK.sh  item=54</span></span>
<span class="line"><span>● main_work55  WORK.sh  item=55</span></span>
<span class="line"><span>● main_work56  WORK.sh  item=56</span></span>
<span class="line"><span>● main_work57  WORK.sh  item=57</span></span>
<span class="line"><span>● main_work58  WORK.sh  item=58</span></span>
<span class="line"><span>and 81 more: 41 running in WORK.sh, 40 completed in WORK.sh</span></span>
<span class="line"><span>23 s · $0.00 of $10.00 · 59 running, 40 completed, 1 awaiting</span></span></code></pre></div><h3 id="the-end-of-100-agents-100-columns-on-a-cluster" tabindex="-1">The end of 100 agents, 100 columns, on a cluster <a class="header-anchor" href="#the-end-of-100-agents-100-columns-on-a-cluster" aria-label="Permalink to &quot;The end of 100 agents, 100 columns, on a cluster&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>main_work91 WORK.sh → result &quot;item 91 done&quot; 20.1 s</span></span>
<span class="line"><span>main_work42 WORK.sh → result &quot;item 42 done&quot; 20.1 s</span></span>
<span class="line"><span>main_work56 WORK.sh → result &quot;item 56 done&quot; 22.1 s</span></span>
<span class="line"><span>main_work57 WORK.sh → result &quot;item 57 done&quot; 22.0 s</span></span>
<span class="line"><span>main_work95 WORK.sh → result &quot;item 95 done&quot; 4.0 s</span></span>
<span class="line"><span>main END.sh → result &quot;all done&quot; 0.01 s</span></span>
<span class="line"><span>all done</span></span>
<span class="line"><span>✓ main         28 s  all done</span></span>
<span class="line"><span>✓ main_work82  21 s  item=82 · item 82 done</span></span>
<span class="line"><span>✓ main_work83  23 s  item=83 · item 83 done</span></span>
<span class="line"><span>✓ main_work84  23 s  item=84 · item 84 done</span></span>
<span class="line"><span>✓ main_work85  23 s  item=85 · item 85 done</span></span>
<span class="line"><span>✓ main_work86  21 s  item=86 · item 86 done</span></span>
<span class="line"><span>✓ main_work87  25 s  item=87 · item 87 done</span></span>
<span class="line"><span>✓ main_work88  20 s  item=88 · item 88 done</span></span>
<span class="line"><span>✓ main_work89  23 s  item=89 · item 89 done</span></span>
<span class="line"><span>✓ main_work90  23 s  item=90 · item 90 done</span></span>
<span class="line"><span>✓ main_work91  23 s  item=91 · item 91 done</span></span>
<span class="line"><span>✓ main_work92  15 s  item=92 · item 92 done</span></span>
<span class="line"><span>✓ main_work93  19 s  item=93 · item 93 done</span></span>
<span class="line"><span>✓ main_work94  14 s  item=94 · item 94 done</span></span>
<span class="line"><span>✓ main_work95  9.2 s  item=95 · item 95 done</span></span>
<span class="line"><span>✓ main_work96  6.5 s  item=96 · item 96 done</span></span>
<span class="line"><span>✓ main_work97  7.0 s  item=97 · item 97 done</span></span>
<span class="line"><span>✓ main_work98  11 s  item=98 · item 98 done</span></span>
<span class="line"><span>✓ main_work99  25 s  item=99 · item 99 done</span></span>
<span class="line"><span>and 81 more: 81 completed</span></span>
<span class="line"><span>28 s · $0.00 of $10.00 · 100 completed</span></span>
<span class="line"><span>completed: crowd-1</span></span>
<span class="line"><span>$</span></span></code></pre></div><h3 id="running-60-columns-on-a-cluster" tabindex="-1">Running, 60 columns, on a cluster <a class="header-anchor" href="#running-60-columns-on-a-cluster" aria-label="Permalink to &quot;Running, 60 columns, on a cluster&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-2: 2 running</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-2 --address 127.0.0.1:235</span></span>
<span class="line"><span>04</span></span>
<span class="line"><span>run review-2</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.2</span></span>
<span class="line"><span>4 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.03 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.58 s, $0.0100</span></span>
<span class="line"><span>◌ main        WAIT.sh  awaiting  $0.0400</span></span>
<span class="line"><span>● main_read1  READ.md  file=parser.ts</span></span>
<span class="line"><span>● main_read2  READ.md  file=printer.ts</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>2.8 s · $0.0500 of $10.00 · 2 running, 1 awaiting, 1 comp…</span></span></code></pre></div><h3 id="a-question-being-answered-in-place-60-columns-on-a-cluster" tabindex="-1">A question, being answered in place, 60 columns, on a cluster <a class="header-anchor" href="#a-question-being-answered-in-place-60-columns-on-a-cluster" aria-label="Permalink to &quot;A question, being answered in place, 60 columns, on a cluster&quot;">​</a></h3><p>The title of the terminal: <code>raymond review-2: 1 asks</code></p><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-2 --address 127.0.0.1:235</span></span>
<span class="line"><span>04</span></span>
<span class="line"><span>run review-2</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.2</span></span>
<span class="line"><span>4 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.03 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.58 s, $0.0100</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 1.8 s, $0.12</span></span>
<span class="line"><span>00</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 1.8 s,</span></span>
<span class="line"><span> $0.0900</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.06 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-2 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>? main        ASK.sh  asking  $0.0400</span></span>
<span class="line"><span>✓ main_read1  READ.md  $0.0900  file=parser.ts</span></span>
<span class="line"><span>✓ main_read2  READ.md  $0.12  file=printer.ts</span></span>
<span class="line"><span>✓ main_read3  READ.md  $0.0100  file=README.md</span></span>
<span class="line"><span>5.3 s · $0.26 of $10.00 · 3 completed, 1 asking</span></span>
<span class="line"><span>answer main&gt; yes, after the ty▏</span></span></code></pre></div><h3 id="completed-60-columns-on-a-cluster" tabindex="-1">Completed, 60 columns, on a cluster <a class="header-anchor" href="#completed-60-columns-on-a-cluster" aria-label="Permalink to &quot;Completed, 60 columns, on a cluster&quot;">​</a></h3><div class="language-text vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">text</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>$ raymond start review --id review-2 --address 127.0.0.1:235</span></span>
<span class="line"><span>04</span></span>
<span class="line"><span>run review-2</span></span>
<span class="line"><span>main START.md → WAIT.sh (fork READ.md, READ.md, READ.md) 0.2</span></span>
<span class="line"><span>4 s, $0.0400</span></span>
<span class="line"><span>main WAIT.sh → ASK.sh (await) 0.03 s</span></span>
<span class="line"><span>main_read3 READ.md → result &quot;no findings&quot; 0.58 s, $0.0100</span></span>
<span class="line"><span>main_read2 READ.md → result &quot;1 finding: a typo&quot; 1.8 s, $0.12</span></span>
<span class="line"><span>00</span></span>
<span class="line"><span>main_read1 READ.md → result &quot;1 finding: an edge case&quot; 1.8 s,</span></span>
<span class="line"><span> $0.0900</span></span>
<span class="line"><span>main ASK.sh → END.sh (ask) 0.06 s</span></span>
<span class="line"><span>main asks (ask_main_3):</span></span>
<span class="line"><span>  Two findings, none of them grave. Merge it?</span></span>
<span class="line"><span>  answer with: raymond answer review-2 ask_main_3 &quot;…&quot;</span></span>
<span class="line"><span>answered ask_main_3</span></span>
<span class="line"><span>main END.sh → result &quot;merged: yes, after the typo&quot; 0.01 s</span></span>
<span class="line"><span>merged: yes, after the typo</span></span>
<span class="line"><span>✓ main        5.5 s  $0.0400  merged: yes, after the typo</span></span>
<span class="line"><span>✓ main_read1  2.8 s  $0.0900  file=parser.ts · 1 finding: …</span></span>
<span class="line"><span>✓ main_read2  2.5 s  $0.12  file=printer.ts · 1 finding:…</span></span>
<span class="line"><span>✓ main_read3  1.1 s  $0.0100  file=README.md · no findings</span></span>
<span class="line"><span>5.5 s · $0.26 of $10.00 · 4 completed</span></span>
<span class="line"><span>completed: review-2</span></span>
<span class="line"><span>$</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/reference/terminal.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const terminal = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, terminal as default };
