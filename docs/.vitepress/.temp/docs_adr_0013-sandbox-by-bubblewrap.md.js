import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"13. The sandbox calls bubblewrap itself","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0013-sandbox-by-bubblewrap.md","filePath":"docs/adr/0013-sandbox-by-bubblewrap.md"}',
);
const _sfc_main = { name: 'docs/adr/0013-sandbox-by-bubblewrap.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="13-the-sandbox-calls-bubblewrap-itself" tabindex="-1">13. The sandbox calls bubblewrap itself <a class="header-anchor" href="#13-the-sandbox-calls-bubblewrap-itself" aria-label="Permalink to &quot;13. The sandbox calls bubblewrap itself&quot;">​</a></h1><p><strong>Context.</strong> <code>@anthropic-ai/sandbox-runtime</code> 0.0.83 wraps shell commands in bubblewrap on Linux and in Seatbelt on macOS. Three properties do not fit (from its source; we have not run it):</p><ul><li>It needs Node 22.12; Raymond supports Node 20.</li><li>Its manager is one object per process; a worker runs many turns at once, each with its own policy.</li><li>It scans the working directory with ripgrep for each command.</li></ul><p><strong>Decision.</strong> Raymond builds the command line of <code>bwrap</code> (<code>src/sandbox/bubblewrap.ts</code>) from a list of mounts. For each path, the mount nearest to it decides. Each turn has its own network namespace. <code>/proc/sys</code> is mounted read-only, because root can write there without any capability: an attack in the tests changed <code>core_pattern</code>.</p><p><strong>Consequences.</strong> There is no sandbox <code>process</code> on macOS. Each script turn of a chain runs in its own sandbox, because policies and protected files may differ.</p><p>Prompts reach the API of their model through a Unix socket. Claude Code 2.1.329 sends its requests to the socket in <code>ANTHROPIC_UNIX_SOCKET</code> when <code>ANTHROPIC_BASE_URL</code> is plain HTTP. We measured both; the first is undocumented, so <code>test/sandbox/prompts.test.ts</code> runs the real CLI. A relay in the worker (<code>src/sandbox/relay.ts</code>) adds the credential. A login cannot be renewed inside a sandbox, because its file would have to be in the sandbox.</p><p>Programs find proxies by TCP only. So the hosts of a <code>network</code> list are reached through <code>socat</code> in the sandbox, and through the proxy of <code>proxy-chain</code> in the worker.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0013-sandbox-by-bubblewrap.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0013SandboxByBubblewrap = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0013SandboxByBubblewrap as default };
