import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"poll","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/poll/README.md","filePath":"workflows/poll/README.md"}',
);
const _sfc_main = { name: 'workflows/poll/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="poll" tabindex="-1">poll <a class="header-anchor" href="#poll" aria-label="Permalink to &quot;poll&quot;">​</a></h1><p>Waiting without tokens. <code>1_START.sh</code> creates <code>poll-inbox/</code> in the current directory, <code>POLL.sh</code> looks into it and ends with <code>&lt;reset delay=&quot;2s&quot;&gt;POLL&lt;/reset&gt;</code> until there is a file; then it moves that file out of the inbox and hands its path to <code>PROCESS.md</code> by <code>&lt;reset input=&quot;…&quot;&gt;PROCESS&lt;/reset&gt;</code>, and only there a model is asked. Every look is a recorded turn and the pause is a timer of Temporal, so the workflow can wait for months and through restarts of the machine. <code>POLL_INTERVAL</code> sets the seconds between two looks (default 2). Move a finished file into the inbox (<code>mv</code>) rather than writing it there, so that no half-written one is found. To serve requests for ever, let <code>PROCESS.md</code> end with <code>&lt;reset&gt;1_START&lt;/reset&gt;</code>. It needs Claude Code with a login or a key.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mkdir</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> -p</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> poll-inbox</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/poll</span><span style="--shiki-light:#24292E;--shiki-dark:#E1E4E8;"> &amp;</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">echo</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;Please move the demo to Friday 14:00 and tell Ruth.&quot;</span><span style="--shiki-light:#D73A49;--shiki-dark:#F97583;"> &gt;</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> note.txt</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">mv</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> note.txt</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> poll-inbox/</span></span>
<span class="line"><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;">wait</span></span></code></pre></div><p>Expected output (yours will differ):</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>The demo is to be moved to Friday, 14:00.</span></span>
<span class="line"><span>- Ruth has to be told.</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/poll/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
