import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"10. One engine per project","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0010-engine.md","filePath":"docs/adr/0010-engine.md"}',
);
const _sfc_main = { name: 'docs/adr/0010-engine.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="10-one-engine-per-project" tabindex="-1">10. One engine per project <a class="header-anchor" href="#10-one-engine-per-project" aria-label="Permalink to &quot;10. One engine per project&quot;">​</a></h1><p><strong>Context.</strong> A local run lived in the process that started it. Closing the terminal stopped it. <code>answer</code> on a run without a process had to execute the rest of the run. An expired question waited until a user typed <code>resume</code>. The command <code>recover</code>, a lock and a task queue for each run, and a background process for each detached run existed only for that reason. The embedded Temporal server already ran in the background.</p><p><strong>Decision.</strong> A project has one engine: one process with one worker on one task queue. It executes all local runs, calls hooks, and serves the API with the page (<code>serve/engine/engine.ts</code>). Commands find it by a lock and a record (<code>engine/record.ts</code>), and start it when they need it (<code>engine/ensure.ts</code>). So every command is a short call, and a command that follows a run only shows it. <code>raymond serve</code> and <code>start --foreground</code> are the same engine in their own process.</p><ul><li>The task queue is named after the project&#39;s secret. So projects can share a server, and a project that is moved keeps its runs.</li><li>Turns get the environment of the command that started the run, from a private file for each run (<code>activities/environment/run-environment.ts</code>). The environment of the engine would be that of the shell that happened to start it, perhaps days before.</li><li>When the config has changed, the next command tells the engine to read it again (<code>SIGUSR2</code>). The new worker gets its own connection, because the SDK allows only one worker per queue on a connection; turns in progress end on the old worker.</li><li>The end of a turn is shown from Temporal&#39;s history; what a turn does right now, from events of the engine&#39;s API.</li><li>A command that follows a run starts the engine again when it dies, but not after <code>raymond down</code>.</li></ul><p><strong>Consequences.</strong> Local runs behave like runs on a cluster: the same words, exit codes and output. Removed: <code>recover</code>, the locks and queues of runs, <code>background.ts</code>, <code>serve-run.ts</code>, <code>served-runs.ts</code>, and the events of a worker in the same process (<code>RecordedNews</code>). A <code>--foreground</code> process also executes the other open runs of its project, because there is one queue. A chain of quick script turns is shown when its activity ends, no longer turn by turn.</p><p><strong>Not chosen.</strong> A daemon for each user would mix the environments, configs and permissions of projects. A socket with our own protocol for orders is not needed: Temporal already accepts orders, keeps them while no engine runs, and records who sent them.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/adr/0010-engine.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0010Engine = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0010Engine as default };
