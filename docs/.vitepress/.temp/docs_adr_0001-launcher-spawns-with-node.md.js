import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"1. The launcher spawns with node:child_process","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0001-launcher-spawns-with-node.md","filePath":"docs/adr/0001-launcher-spawns-with-node.md"}',
);
const _sfc_main = { name: 'docs/adr/0001-launcher-spawns-with-node.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="1-the-launcher-spawns-with-nodechild_process" tabindex="-1">1. The launcher spawns with node:child_process <a class="header-anchor" href="#1-the-launcher-spawns-with-nodechild_process" aria-label="Permalink to &quot;1. The launcher spawns with node:child_process&quot;">​</a></h1><p><strong>Context.</strong> The launcher, a small child process of the worker, spawns every process of a turn. The first design named execa for it. A script turn should cost less than a bare Temporal activity that spawns the same script.</p><p><strong>Measured</strong> (worker → launcher → <code>bash -c &#39;echo x&#39;</code> → exit → worker, 400 interleaved rounds, 2 cores): execa takes 3.2 ms, with 2.9 ms of CPU in the launcher; <code>node:child_process</code> takes 2.65 ms, with 1.7 ms. Importing execa takes about 90 ms and 13 MB.</p><p><strong>Decision.</strong> The launcher uses <code>node:child_process</code>. Process groups, descendants, markers and grace periods need code of our own in either case. execa runs everything that is not part of a turn (building the Temporal CLI, the tests).</p><p><strong>Also decided.</strong> Output goes through named pipes instead of Node&#39;s sockets, because <code>echo x &gt;/dev/stderr</code> and <code>tee /dev/stdout</code> fail on sockets. stdin is an unlinked file, because bash mistakes a socket for a remote login and reads <code>~/.bashrc</code>.</p><p><strong>Consequences.</strong> A turn takes about 1.2 ms less CPU. A few options of <code>spawn</code> are our responsibility; tests check them with real processes.</p><p><strong>Later: a watchdog instead of <code>setpriv</code>.</strong> With <code>setpriv --pdeathsig</code> the kernel ended a process together with its launcher, but <code>setpriv</code> was a second program for every turn (1.0 ms of 4.0). Now each launcher has one shell that holds the other end of a pipe and knows the process groups of the turns in progress. When the pipe closes, however the launcher died, the shell kills these groups (<code>launcher/watchdog.ts</code>). It ends whole groups, where the kernel ended only the first process, and it works on macOS, too. A watchdog that was killed is started again. Limit: if launcher, worker and watchdog are killed at the same moment, the processes of a turn live until the next attempt, which finds and kills them by their marker.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0001-launcher-spawns-with-node.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0001LauncherSpawnsWithNode = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0001LauncherSpawnsWithNode as default };
