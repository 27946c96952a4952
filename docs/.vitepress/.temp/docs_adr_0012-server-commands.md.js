import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"12. raymond server manages only the server","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0012-server-commands.md","filePath":"docs/adr/0012-server-commands.md"}',
);
const _sfc_main = { name: 'docs/adr/0012-server-commands.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="12-raymond-server-manages-only-the-server" tabindex="-1">12. <code>raymond server</code> manages only the server <a class="header-anchor" href="#12-raymond-server-manages-only-the-server" aria-label="Permalink to &quot;12. \`raymond server\` manages only the server&quot;">​</a></h1><p><strong>Context.</strong> With an engine for each project (<a href="./0010-engine.html">ADR 10</a>), <code>server start|stop|status|list</code> could become other names for <code>up</code>, <code>down</code>, <code>up --status</code> and <code>ps</code>. But an idle engine ends after a while and stops the embedded server. On a development machine, workers of a fleet (<code>raymond fleet worker --address …</code>) and other Temporal programs may use the embedded server too, and the engine does not know of them.</p><p><strong>Decision.</strong> <code>server start</code> starts the server without an engine, and the server runs until it is stopped. <code>server stop</code> ends the engine first, because an engine cannot work without its server; turns get the time that <code>drain</code> allows, as with <code>down</code>. <code>server status</code> and <code>server list</code> show servers. <code>up</code>, <code>down</code> and <code>ps</code> handle engines together with their servers; they are what the docs recommend.</p><p><strong>Consequences.</strong> Scripts that call <code>server start</code> keep working, and an idle engine does not stop a local fleet. There are two sets of commands; <code>raymond --help</code> describes <code>server</code> as the embedded server only.</p><p><strong>Not chosen.</strong> An engine that counts the other pollers of its server before it stops: the server lists pollers per task queue, but cannot list the task queues.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/adr/0012-server-commands.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0012ServerCommands = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0012ServerCommands as default };
