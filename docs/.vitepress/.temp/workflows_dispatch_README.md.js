import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"dispatch","description":"","frontmatter":{},"headers":[],"relativePath":"workflows/dispatch/README.md","filePath":"workflows/dispatch/README.md"}',
);
const _sfc_main = { name: 'workflows/dispatch/README.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="dispatch" tabindex="-1">dispatch <a class="header-anchor" href="#dispatch" aria-label="Permalink to &quot;dispatch&quot;">​</a></h1><p>One agent per item, all at once. <code>1_START.sh</code> copies a list into <code>dispatch-work/&lt;run id&gt;/</code>; <code>DISPATCH.sh</code> takes one item per turn and ends with <code>&lt;fork next=&quot;DISPATCH&quot; item=&quot;…&quot; out=&quot;…&quot;&gt;WORKER&lt;/fork&gt;</code>, which starts a new agent and brings the dispatcher back to itself; when the list is empty it ends with <code>&lt;result&gt;</code>. <code>WORKER.md</code> is a prompt: the attributes of its <code>&lt;fork&gt;</code> appear in it as <code>{{item}}</code> and <code>{{out}}</code>. The agents are named <code>main_worker1</code>, <code>main_worker2</code>, … and are independent: nobody waits for them, and their results are shown but handed to nobody, so each leaves its work in a file. The run is over when the last agent has ended; <code>raymond start</code> then prints the result of <code>main</code>. Dispatching costs nothing, the workers need Claude Code with a login or a key.</p><div class="language-bash vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang">bash</span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/dispatch</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">                      # the three questions of items.txt</span></span>
<span class="line"><span style="--shiki-light:#6F42C1;--shiki-dark:#B392F0;">raymond</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> start</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> workflows/dispatch</span><span style="--shiki-light:#005CC5;--shiki-dark:#79B8FF;"> --input</span><span style="--shiki-light:#032F62;--shiki-dark:#9ECBFF;"> my-list.txt</span><span style="--shiki-light:#6A737D;--shiki-dark:#6A737D;">  # your own list, one item per line</span></span></code></pre></div><p>Expected output, with the answers in <code>1.md</code>, <code>2.md</code> and <code>3.md</code> of the folder that it names:</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>3 items handed out; the answers are in dispatch-work/&lt;run id&gt;</span></span></code></pre></div></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('workflows/dispatch/README.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const README = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, README as default };
