import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"14. The container of a turn ends with its input","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0014-containers.md","filePath":"docs/adr/0014-containers.md"}',
);
const _sfc_main = { name: 'docs/adr/0014-containers.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="14-the-container-of-a-turn-ends-with-its-input" tabindex="-1">14. The container of a turn ends with its input <a class="header-anchor" href="#14-the-container-of-a-turn-ends-with-its-input" aria-label="Permalink to &quot;14. The container of a turn ends with its input&quot;">​</a></h1><p><strong>Context.</strong> A process in a container is no child of the command that starts it (<code>docker run</code>, <code>podman run</code>): the daemon, or a monitor, starts it. A <code>kill -9</code> of that command, or of the launcher, leaves the container running. Raymond promises that at most one attempt of a turn is alive (invariant I2).</p><p><strong>Decision.</strong> The container&#39;s first process is a shell script of Raymond (<code>src/sandbox/supervisor.ts</code>). It starts the program with the prompt or nothing as its input, from a file. Its own input is a pipe (<code>run --interactive</code>) whose other end only the launcher has. When that ends, a process beside the program kills all others of the container. A program that kills this process first is ended only by the further measures.</p><p>Further measures: <code>--rm</code>; the worker removes the container by its name after each turn; the next attempt of the turn removes what <code>container.json</code> in the folder of an earlier attempt names.</p><p>The same script tells which limit ended the turn: it reads the counters of the control group (<code>memory.events</code>, <code>pids.events</code>, <code>cpu.stat</code>) once a second and at the end. With control groups of version 1, the total of CPU time is not counted; the kernel then limits the CPU time of each process.</p><p><strong>Not chosen.</strong> <code>--init</code>: the script is the first process already, and not every host has the program for it. A relay on a TCP port of the host: every container and user of the host could reach it; a Unix socket needs no further secret. The download of images by a worker: a turn would wait for minutes, and run what nobody looked at.</p><p><strong>Measured.</strong> Docker 20.10, two cores, an image on the disk, 2026-11: <code>docker run</code> of <code>true</code> took about 0.35 s without these measures, and 0.32 s with them. After a <code>kill -9</code> of the <code>docker run</code> command, the container was gone after 0.15 s. Podman was not run; its command line is tested.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add('docs/adr/0014-containers.md');
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0014Containers = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0014Containers as default };
