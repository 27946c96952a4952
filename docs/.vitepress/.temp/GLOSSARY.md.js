import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"Glossary","description":"","frontmatter":{},"headers":[],"relativePath":"GLOSSARY.md","filePath":"GLOSSARY.md"}',
);
const _sfc_main = { name: 'GLOSSARY.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="glossary" tabindex="-1">Glossary <a class="header-anchor" href="#glossary" aria-label="Permalink to &quot;Glossary&quot;">​</a></h1><p>One word, one meaning: in names, messages, help, docs and comments.</p><table tabindex="0"><thead><tr><th>Word</th><th>Meaning</th></tr></thead><tbody><tr><td>package</td><td>a workflow as files: a folder, a zip or a YAML file of states</td></tr><tr><td>state</td><td>one file of a package: a prompt or a script</td></tr><tr><td>run</td><td>one start of a package; a Temporal workflow of type <code>run</code></td></tr><tr><td>agent</td><td>one thread of execution; a Temporal workflow of type <code>agent</code>; the first is <code>main</code></td></tr><tr><td>forked agent</td><td>an agent that <code>&lt;fork&gt;</code> started</td></tr><tr><td>turn</td><td>one execution of a state; recorded when its transition is known</td></tr><tr><td>attempt</td><td>one try of a turn&#39;s activity</td></tr><tr><td>transition</td><td>the tag that ended a turn, checked and resolved; <em>pending</em> until it is applied</td></tr><tr><td>hold</td><td>what an agent waits for, as data in its record</td></tr><tr><td>record</td><td>the data from which an agent continues</td></tr><tr><td>ledger</td><td>what the run knows of its agents and of money</td></tr><tr><td>order</td><td>what an operator asked for: pause, resume, goto, retry, tell, cancel, budget</td></tr><tr><td>session</td><td>a conversation with a model, which later turns continue or branch</td></tr><tr><td>worker</td><td>a process that polls a Temporal task queue</td></tr><tr><td>engine</td><td>the background process of a project: embedded server, worker, API and page</td></tr><tr><td>host</td><td>a machine on which workers run</td></tr><tr><td>fleet</td><td>the workers of several hosts that poll one task queue</td></tr><tr><td>lease</td><td>permission to use one slot of a limit</td></tr><tr><td>allowance</td><td>the money that an agent&#39;s next prompt turns may spend</td></tr><tr><td>workspace</td><td>an agent&#39;s git checkout on a host</td></tr><tr><td>artifact</td><td>a value or file that is stored under its SHA-256</td></tr><tr><td>position</td><td>a line and a column in a file</td></tr><tr><td>problem</td><td>a protocol mistake in an output or a package: a value</td></tr><tr><td>failure</td><td>something outside failed (a disk, a process, a model&#39;s API): typed, from one table</td></tr><tr><td>error</td><td>the message that a person reads</td></tr></tbody></table></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('GLOSSARY.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const GLOSSARY = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, GLOSSARY as default };
