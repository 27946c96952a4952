import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"Exit codes","description":"","frontmatter":{},"headers":[],"relativePath":"docs/reference/exit-codes.md","filePath":"docs/reference/exit-codes.md"}',
);
const _sfc_main = { name: 'docs/reference/exit-codes.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="exit-codes" tabindex="-1">Exit codes <a class="header-anchor" href="#exit-codes" aria-label="Permalink to &quot;Exit codes&quot;">​</a></h1><p>Every command that follows a run ends with the status of the run as its exit code; <code>raymond help exit-codes</code> lists them, too.</p><table tabindex="0"><thead><tr><th>Code</th><th>Meaning</th><th>What to do</th></tr></thead><tbody><tr><td>0</td><td>completed</td><td></td></tr><tr><td>1</td><td>failed: at least one agent failed; or an order that did nothing</td><td>read the error, fix the cause, <code>raymond resume RUN</code></td></tr><tr><td>2</td><td>waiting for a person&#39;s answer</td><td>answer it</td></tr><tr><td>3</td><td>paused, for example by a usage limit</td><td>fix the cause, <code>raymond resume RUN</code></td></tr><tr><td>4</td><td>the budget is used up</td><td>raise it if the work is worth it</td></tr><tr><td>5</td><td>cancelled</td><td>to continue: <code>raymond resume RUN</code></td></tr><tr><td>64</td><td>wrong usage, config or workflow; nothing was started</td><td>correct what the message names</td></tr><tr><td>69</td><td>Temporal, Claude Code, a disk or a file is missing</td><td>what the message says; then <code>raymond resume</code></td></tr><tr><td>130</td><td>interrupted; the run is intact</td><td><code>raymond resume RUN</code></td></tr></tbody></table></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/reference/exit-codes.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const exitCodes = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, exitCodes as default };
