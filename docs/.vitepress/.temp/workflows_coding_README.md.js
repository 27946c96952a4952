import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"coding","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/coding/README.md","filePath":"workflows/coding/README.md"}',
);
const _sfc_main = { name: 'workflows/coding/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="coding" tabindex="-1">coding <a class="header-anchor" href="#coding" aria-label="Permalink to &quot;coding&quot;">​</a></h1><p>From a task to a commit. <code>1_START.sh</code> checks the repository, writes the task to <code>coding-notes/</code> (kept out of git) and ends with <code>&lt;function return=&quot;COMMIT&quot;&gt;PLAN&lt;/function&gt;</code>: everything up to the commit is one function. <code>PLAN.md</code> writes a plan into a file and <em>resets</em> to <code>IMPLEMENT.md</code>, because at this border a fresh conversation and a good plan are worth more than a long memory. <code>IMPLEMENT.md</code> and <code>REVIEW.md</code> then pass the work to and fro by <code>&lt;goto&gt;</code> in one conversation, at most three rounds, since the second round needs to know what the first one did. The review ends with <code>&lt;goto&gt;IMPLEMENT.md&lt;/goto&gt;</code> or with the commit message as <code>&lt;result&gt;</code>; a reset keeps the return stack, so that result reaches <code>COMMIT.sh</code>, which commits. Checking and committing are scripts: they cost nothing and need no permission. It needs Claude Code with a login or a key; to let it run your tests, permit the command by <code>allowed_tools</code> in <code>.raymond/config.toml</code>.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">cd</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> my-repository</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">        # a clean git work tree</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> /path/to/workflows/coding</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --input</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;Add a --version flag that prints the version of package.json&quot;</span></span></code></pre></div><p>Expected output (yours will differ):</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>Committed 3f2a91c Add a --version flag</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/coding/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
