import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"15. The contract is a folder of its own","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0015-contract.md","filePath":"docs/adr/0015-contract.md"}',
);
const _sfc_main = { name: 'docs/adr/0015-contract.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="15-the-contract-is-a-folder-of-its-own" tabindex="-1">15. The contract is a folder of its own <a class="header-anchor" href="#15-the-contract-is-a-folder-of-its-own" aria-label="Permalink to &quot;15. The contract is a folder of its own&quot;">​</a></h1><p><strong>Context.</strong> <code>src/history</code> reads what turns and runs have recorded, so it needs the types of their reports. These types were in <code>src/activities</code> and <code>src/workflows</code>, and activities use <code>history</code> themselves: the folders imported each other. <code>config.ts</code>, <code>project.ts</code> and <code>local.ts</code> at the top of <code>src</code> took errors and connections from <code>src/client</code>, which imports them. ESLint&#39;s table of folders needed an exception for each file of types.</p><p><strong>Decision.</strong> <code>src/contract</code> has what workflows, activities, history and clients send each other, as plain JSON: <code>turns.ts</code>, <code>runs.ts</code> and <code>records.ts</code>. It imports only <code>src/protocol</code>. What belongs to a project (its config, its folder, its embedded server) is <code>src/client/project</code>: only callers of the client use it. This replaces the rule of the first design that workflows import types of activities.</p><p><strong>Consequences.</strong> No two folders of <code>src</code>, and no two files, import each other, types included; <code>test/source/rings.test.ts</code> keeps it so. A reader of the workflows opens no file of the activities.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/adr/0015-contract.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0015Contract = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0015Contract as default };
