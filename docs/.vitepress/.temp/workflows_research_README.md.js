import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"research","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/research/README.md","filePath":"workflows/research/README.md"}',
);
const _sfc_main = { name: 'workflows/research/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="research" tabindex="-1">research <a class="header-anchor" href="#research" aria-label="Permalink to &quot;research&quot;">​</a></h1><p>A question about the project you stand in, answered with evidence. <code>1_START.md</code> frames the question and then <em>calls</em><code>RESEARCH.md</code>: the research runs in a branch of the conversation, may read dozens of files and go wrong, and only its <code>&lt;result&gt;</code> comes back, as <code>{{result}}</code> in <code>ANSWER.md</code>; the caller&#39;s conversation stays clean. <code>ANSWER.md</code> writes <code>research-answer.md</code> into the current directory and asks for a verdict by <code>&lt;function&gt;</code>: <code>EVALUATE.md</code> starts with an empty conversation on a cheap model (<code>model: haiku</code>), so that it cannot be talked into a yes by the work that went before. <code>DECIDE.md</code> gets the verdict and either finishes or sends the question back to <code>RESEARCH.md</code>, once. It needs Claude Code with a login or a key.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/research</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --input</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;Where does this project decide which exit code to use?&quot;</span></span></code></pre></div><p>Expected output (yours will differ): the answer as plain text, the same as in <code>research-answer.md</code>.</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>The exit code is chosen in src/cli/exit.ts: every outcome of a run has one line in the table there …</span></span></code></pre></div></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/research/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
