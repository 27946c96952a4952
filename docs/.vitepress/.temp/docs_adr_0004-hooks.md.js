import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"4. The engine or the following command calls hooks, at least once","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0004-hooks.md","filePath":"docs/adr/0004-hooks.md"}',
);
const _sfc_main = { name: 'docs/adr/0004-hooks.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="4-the-engine-or-the-following-command-calls-hooks-at-least-once" tabindex="-1">4. The engine or the following command calls hooks, at least once <a class="header-anchor" href="#4-the-engine-or-the-following-command-calls-hooks-at-least-once" aria-label="Permalink to &quot;4. The engine or the following command calls hooks, at least once&quot;">​</a></h1><p><strong>Context.</strong> Users want notifications of questions, failures, ends, budgets and limits in a chat or by mail. The config key <code>on_ask</code> exists already and means something else (what a run does while an answer is missing).</p><p><strong>Decision.</strong> The keys are <code>hook_ask</code>, <code>hook_fail</code>, <code>hook_done</code>, <code>hook_budget</code> and <code>hook_limit</code>. Each is a shell command that gets one JSON document on stdin. The engine calls the hooks of local runs. On a cluster, a command that follows a run calls them. Both read the run every second anyway, so workflows and workers know nothing of hooks, and histories stay as they are.</p><p><strong>Delivery.</strong> Each event is delivered at least once:</p><ul><li>An event is written to <code>.raymond/runs/RUN.hooks.json</code> before the first attempt to deliver it, and removed after an attempt that ended with code 0. So the next process delivers what is left, and does not repeat delivered events.</li><li>Each event has a key, such as the id of a question or the time of a close. The key of an agent&#39;s failure is deleted when the agent runs again.</li><li>A lock allows one process at a time to call the hooks of a run. Calls of one hook follow one another, in the order of the events.</li><li>An event has three attempts, 1 s and 5 s apart. Each is stopped after 30 s.</li><li>The end of a run waits 10 s for hooks. Then they are stopped, and their events stay pending.</li></ul><p><strong>Not chosen.</strong> An activity would be exact, even when no process follows the run. But it puts commands from one person&#39;s config into the history of a run that a fleet executes. A mark in the run&#39;s memo would need a change of the workflow.</p><p><strong>Consequences.</strong> Events that start and end between two checks, or while no process executes or follows the run, are not reported. A hook must tolerate a second call for one event.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/adr/0004-hooks.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0004Hooks = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0004Hooks as default };
