import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"8. No stacks of promises in workflows","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0008-no-stacks-of-promises.md","filePath":"docs/adr/0008-no-stacks-of-promises.md"}',
);
const _sfc_main = { name: 'docs/adr/0008-no-stacks-of-promises.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="8-no-stacks-of-promises-in-workflows" tabindex="-1">8. No stacks of promises in workflows <a class="header-anchor" href="#8-no-stacks-of-promises-in-workflows" aria-label="Permalink to &quot;8. No stacks of promises in workflows&quot;">​</a></h1><p><strong>Context.</strong> Temporal&#39;s TypeScript SDK takes a stack trace of every promise that workflow code creates, maps each of its lines to the sources, and keeps it until the promise is settled. Only the query <code>__stack_trace</code> (&quot;Call Stack&quot; in the Web UI) uses it, and the SDK has no switch for it. Measured:</p><table tabindex="0"><thead><tr><th>Work</th><th>With stacks</th><th>Without</th></tr></thead><tbody><tr><td>one file of workflow tests, processor</td><td>12.8 s</td><td>9.8 s</td></tr><tr><td>a fork, the worker&#39;s processor, three rounds</td><td>67.8, 58.3, 58.9 ms</td><td>49.2, 49.2, 53.4 ms</td></tr></tbody></table><p>That is 23 % and 9 to 27 % of the processor time.</p><p><strong>Decision.</strong> <code>src/sdk-internals/promise-stacks.ts</code>, the first module of the workflow sandbox, replaces the global <code>Error</code>. An error that is created without a message has no stack; that is how the SDK takes its stacks. Then the SDK keeps nothing for the promise. All other errors have their stacks.</p><p><strong>Not chosen.</strong> <code>Error.stackTraceLimit = 0</code> saves a little less and removes the stacks of real errors, too. Preventing V8&#39;s promise hooks saves a little more, but Node&#39;s <code>AsyncLocalStorage</code> needs the same hooks, and Temporal&#39;s cancellation scopes need <code>AsyncLocalStorage</code>: runs were cancelled for no reason.</p><p><strong>Consequences.</strong> The call stack in Temporal&#39;s UI is empty. The memo, the summary and <code>raymond status</code> show what an agent does. An error in a workflow still says where it was thrown (<code>test/workflows/stop.test.ts</code>). When the SDK takes its stacks in another way, <code>test/sdk-internals/promise-stacks-contract.test.ts</code> fails.</p><p><strong>Off switch.</strong> With <code>RAYMOND_SDK_PROMISE_STACKS=on</code> in its environment, a worker sets a global at the start of the workflow bundle. The module then leaves <code>Error</code> alone, and Temporal&#39;s UI shows the call stack. <code>test/sdk-internals/switches.test.ts</code> runs a workflow both ways. To revert the decision, delete <code>promise-stacks.ts</code> and its contract test, its import in <code>src/workflows/index.ts</code>, and its line in <code>switches.ts</code>.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0008-no-stacks-of-promises.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0008NoStacksOfPromises = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0008NoStacksOfPromises as default };
