import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"story","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/story/README.md","filePath":"workflows/story/README.md"}',
);
const _sfc_main = { name: 'workflows/story/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="story" tabindex="-1">story <a class="header-anchor" href="#story" aria-label="Permalink to &quot;story&quot;">​</a></h1><p>Three prompts in one conversation. <code>1_START.md</code> writes the opening of a story and ends with <code>&lt;goto&gt;TWIST.md&lt;/goto&gt;</code>; <code>TWIST.md</code> and <code>ENDING.md</code> go on in the same Claude Code conversation, so neither needs what was written before: that is what <code>&lt;goto&gt;</code> means. The last prompt repeats the whole story inside its <code>&lt;result&gt;</code>, which would be impossible if the conversation had not been kept. Every prompt says what to do, when to stop, and what belongs to a later step, because the model sees one prompt at a time and otherwise runs ahead. It needs Claude Code with a login or a key.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/story</span></span></code></pre></div><p>Expected output (yours will differ):</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>The Night the Lamp Blinked First</span></span>
<span class="line"><span></span></span>
<span class="line"><span>Every evening Tomas Vell wound the brass clock twice, though once was enough …</span></span>
<span class="line"><span></span></span>
<span class="line"><span>…</span></span>
<span class="line"><span></span></span>
<span class="line"><span>…</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/story/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
