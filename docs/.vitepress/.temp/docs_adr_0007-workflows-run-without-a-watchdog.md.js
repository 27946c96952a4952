import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  `{"title":"7. Workflows run without the SDK's watchdog (withdrawn)","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0007-workflows-run-without-a-watchdog.md","filePath":"docs/adr/0007-workflows-run-without-a-watchdog.md"}`,
);
const _sfc_main = { name: 'docs/adr/0007-workflows-run-without-a-watchdog.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="7-workflows-run-without-the-sdks-watchdog-withdrawn" tabindex="-1">7. Workflows run without the SDK&#39;s watchdog (withdrawn) <a class="header-anchor" href="#7-workflows-run-without-the-sdks-watchdog-withdrawn" aria-label="Permalink to &quot;7. Workflows run without the SDK&#39;s watchdog (withdrawn)&quot;">​</a></h1><p><strong>Context.</strong> Temporal&#39;s TypeScript SDK calls workflow code with a time limit of 5 s, to detect code that never yields. Node implements the limit with one operating system thread per call, which it starts and joins: on two cores, 70 to 90 µs of processor time and 200 to 300 µs of waiting beside other work. The call itself takes 1 µs. A workflow task makes a dozen of these calls. They took 40 % of the busy time of the thread that interprets workflows.</p><p><strong>First decision.</strong> Raymond&#39;s workers removed the limit by a subclass of the SDK&#39;s <code>Worker</code>, which overrode its protected factory <code>createWorkflowCreator</code>. A command that executed a run started that thread before it loaded the SDK.</p><p><strong>Withdrawn.</strong> After the redesign of the agent (<a href="./0009-holds.html">ADR 9</a>), a workflow task makes fewer of these calls. We measured again: forks at once (200 and 300, load 5 to 11), alternately without and with the limit, in milliseconds of the worker&#39;s processor per fork.</p><table tabindex="0"><thead><tr><th>Pair</th><th>1</th><th>2</th><th>3</th><th>4</th><th>5</th><th>6</th></tr></thead><tbody><tr><td>without the limit</td><td>24.2</td><td>27.0</td><td>26.5</td><td>30.1</td><td>30.7</td><td>27.2</td></tr><tr><td>with the limit</td><td>24.9</td><td>34.2</td><td>28.8</td><td>33.1</td><td>28.9</td><td>34.7</td></tr></tbody></table><p>The median gain of the six pairs is 9 %. We replace an internal of the SDK only for 15 % or more, so the subclass is gone, and with it the early start of the thread: <code>start</code> takes 0.1 to 0.2 s longer. This matters less when a run no longer starts a worker of its own (<a href="./0010-engine.html">ADR 10</a>).</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0007-workflows-run-without-a-watchdog.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0007WorkflowsRunWithoutAWatchdog = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0007WorkflowsRunWithoutAWatchdog as default };
