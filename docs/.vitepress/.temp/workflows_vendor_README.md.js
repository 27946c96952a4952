import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"vendor","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/vendor/README.md","filePath":"workflows/vendor/README.md"}',
);
const _sfc_main = { name: 'workflows/vendor/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="vendor" tabindex="-1">vendor <a class="header-anchor" href="#vendor" aria-label="Permalink to &quot;vendor&quot;">​</a></h1><p>A person decides. In <code>1_START.md</code> a model collects facts about a vendor. <code>ASK.sh</code> ends with <code>&lt;ask&gt;</code>: it shows the facts, takes up to three files with the answer, and waits for three days (<code>VENDOR_DEADLINE</code>); then <code>timeout_next</code> leads to <code>LATE.sh</code>. An agent that waits has no process and costs nothing, and the question survives a restart of the machine. <code>DECIDE.sh</code> reads the decision by its first word and asks again when it is neither &quot;approved&quot; nor &quot;rejected&quot;; <code>REPORT.md</code> writes it down. It needs Claude Code with a login or a key.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/vendor</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --input</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;Acme Corp, monitoring, at most 50,000 USD a year&quot;</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --on-ask</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> exit</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> answer</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> RUN</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> &quot;approved&quot;</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --file</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> contract.pdf=./contract.pdf</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> result</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> RUN</span></span></code></pre></div><p><code>start</code> ends with 2 and names the run; in a terminal and without <code>--on-ask</code> it waits instead. The same question stands in the inbox of the page, with its files.</p><p>Expected output (yours will differ):</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>Approved: Acme Corp for monitoring, for one year.</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/vendor/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
