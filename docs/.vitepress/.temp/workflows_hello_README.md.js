import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"hello","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/hello/README.md","filePath":"workflows/hello/README.md"}',
);
const _sfc_main = { name: 'workflows/hello/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="hello" tabindex="-1">hello <a class="header-anchor" href="#hello" aria-label="Permalink to &quot;hello&quot;">​</a></h1><p>Two scripts and no model: the smallest workflow there is, and it needs no key. <code>1_START.sh</code> is where every workflow begins; it takes the text of <code>--input</code> and passes it on with <code>&lt;goto input=&quot;…&quot;&gt;GREET&lt;/goto&gt;</code>. The target has no extension, so <code>GREET.sh</code> could become a prompt (<code>GREET.md</code>) without a change here. <code>GREET.sh</code> ends the run with <code>&lt;result&gt;…&lt;/result&gt;</code>, and that text, nothing else, is what <code>raymond start</code> prints on its standard output.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/hello</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --input</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> Ada</span></span></code></pre></div><p>Expected output:</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>Hello, Ada!</span></span></code></pre></div><p>Without <code>--input</code> it says <code>Hello, world!</code>.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/hello/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
