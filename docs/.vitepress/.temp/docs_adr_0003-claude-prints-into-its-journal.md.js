import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"3. Claude Code prints into its journal","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0003-claude-prints-into-its-journal.md","filePath":"docs/adr/0003-claude-prints-into-its-journal.md"}',
);
const _sfc_main = { name: 'docs/adr/0003-claude-prints-into-its-journal.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="3-claude-code-prints-into-its-journal" tabindex="-1">3. Claude Code prints into its journal <a class="header-anchor" href="#3-claude-code-prints-into-its-journal" aria-label="Permalink to &quot;3. Claude Code prints into its journal&quot;">​</a></h1><p>Status: accepted, 2026-11-21</p><h2 id="context" tabindex="-1">Context <a class="header-anchor" href="#context" aria-label="Permalink to &quot;Context&quot;">​</a></h2><p>Every dollar that an attempt reported must be booked exactly once, whichever process dies (invariant I4). In the first design, the launcher read Claude Code&#39;s output from a pipe. It wrote the lines about spending to a journal on disk, and then sent them to the worker.</p><p>The content of a pipe is lost with the last process that reads it. When the launcher was killed after Claude&#39;s <code>write</code> and before its own, the result of that turn was lost: in a chaos run of 40 kills, 0.148 USD of about 4. The same happens when all processes are killed at once, as by <code>docker kill</code> or in a control group that runs out of memory.</p><h2 id="decision" tabindex="-1">Decision <a class="header-anchor" href="#decision" aria-label="Permalink to &quot;Decision&quot;">​</a></h2><p>The stdout of a prompt turn is a file, opened for appending: the journal. The launcher reads what is added to it (<code>src/launcher/journal.ts</code>), by a file watch, and every 100 ms on file systems that do not report changes. The journal has all output of Claude Code. The process that books a dead attempt parses it with the same code that the worker uses for a live attempt. Scripts cost nothing and keep their pipes.</p><h2 id="consequences" tabindex="-1">Consequences <a class="header-anchor" href="#consequences" aria-label="Permalink to &quot;Consequences&quot;">​</a></h2><ul><li>A dollar that Claude Code has reported is on the host&#39;s disk, whichever processes die. Only a loss of the disk loses it.</li><li>The launcher no longer looks for lines, which is one parser less.</li><li>The output of a turn is on disk until its report has arrived (mode 0600, beside transcripts with the same content). At 1 GiB the process is killed and the attempt fails.</li><li>On a full disk Claude Code cannot print, so the attempt fails. It would fail anyway, because it cannot write its transcript.</li></ul></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0003-claude-prints-into-its-journal.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0003ClaudePrintsIntoItsJournal = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0003ClaudePrintsIntoItsJournal as default };
