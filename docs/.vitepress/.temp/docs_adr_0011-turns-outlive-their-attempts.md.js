import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"11. Turns outlive their attempts","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0011-turns-outlive-their-attempts.md","filePath":"docs/adr/0011-turns-outlive-their-attempts.md"}',
);
const _sfc_main = { name: 'docs/adr/0011-turns-outlive-their-attempts.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="11-turns-outlive-their-attempts" tabindex="-1">11. Turns outlive their attempts <a class="header-anchor" href="#11-turns-outlive-their-attempts" aria-label="Permalink to &quot;11. Turns outlive their attempts&quot;">​</a></h1><p><strong>Context.</strong> A laptop sleeps, or all its processes are stopped for a minute. No heartbeat is sent in that time, so after 15 s the Temporal server gives up the attempt of each turn in progress and schedules the next one. When the worker woke up, it learned that its attempt no longer counted and killed the process, although the process was intact. The next attempt started the turn again: a prompt was paid twice, a script ran twice, and the failure said that &quot;the worker was shut down&quot;.</p><p><strong>Decision.</strong> A turn on a worker is an object of its own (<code>activities/attempt/running-turn.ts</code>), found by its workflow run and activity id. Attempts report for it.</p><ul><li>A turn uses Temporal (info, client, heartbeat, cancellation) only through this object, which forwards to the attempt that counts now. Code of a turn must not call <code>Context.current()</code>: that is the attempt that started the turn.</li><li>When the next attempt reaches the same worker and finds the turn, it replaces the attempt before it: it gets the heartbeats, a cancel, and the report. The earlier attempt ends with <code>CompleteAsyncError</code>, so the SDK reports nothing for it.</li><li>When the server gives up the attempt (<code>NOT_FOUND</code>, or the SDK&#39;s own timeout), the turn continues for up to 60 s. Every second it asks the server whether the activity is still open. If not (the agent was terminated, or its turn was cancelled), the turn is ended at once.</li><li>The report of a turn that took longer than 7.5 s is kept for 60 s, because a turn that ends at the moment of waking up reports to an attempt that the server has given up.</li><li>The time limits of a process (<code>timeout</code>, <code>max_time</code>) count ticks of at most one second, as the launcher&#39;s own timer does. A stop of the host counts as one tick.</li></ul><p><strong>Consequences.</strong> Invariant I2 still holds, because a turn continues between two attempts only on a worker that is alone on its queue (the engine of a project). A worker of a fleet ends the turn when it learns that the server has given up the attempt, because another worker may have the next one. If the next attempt reaches the same worker before that, the turn continues there, too. <code>RAYMOND_ATTEMPT</code> in the process names the attempt that started it. On the queue of one host (<code>QUEUE@HOST</code>) an activity has one attempt, so there the turn starts again, as before.</p><p>A report is still lost, and its turn runs again, if no attempt can deliver it and the turn took less than 7.5 s or ended with a failure.</p><p><strong>Not chosen.</strong> A longer heartbeat timeout: a dead worker would be noticed later, and no timeout is long enough for a night. Detecting the sleep by comparing clocks: that does not show what the server has decided.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0011-turns-outlive-their-attempts.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0011TurnsOutliveTheirAttempts = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0011TurnsOutliveTheirAttempts as default };
