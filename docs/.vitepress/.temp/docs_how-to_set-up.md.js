import { ssrRenderAttrs } from "vue/server-renderer";
import { useSSRContext } from "vue";
import { _ as _export_sfc } from "./plugin-vue_export-helper.1tPrXgE0.js";
const __pageData = JSON.parse('{"title":"Check a machine","description":"","frontmatter":{},"headers":[],"relativePath":"docs/how-to/set-up.md","filePath":"docs/how-to/set-up.md"}');
const _sfc_main = { name: "docs/how-to/set-up.md" };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(`<div${ssrRenderAttrs(_attrs)}><h1 id="check-a-machine" tabindex="-1">Check a machine <a class="header-anchor" href="#check-a-machine" aria-label="Permalink to &quot;Check a machine&quot;">​</a></h1><p><code>raymond doctor</code> checks that a machine has everything that runs need. A completion script saves typing.</p><h2 id="what-is-missing" tabindex="-1">What is missing <a class="header-anchor" href="#what-is-missing" aria-label="Permalink to &quot;What is missing&quot;">​</a></h2><p><code>raymond doctor</code> prints a line for each check, and what to do if it fails. It checks</p><ul><li>the versions of Node.js, Claude Code (or pi, if the config has <code>backend = &quot;pi&quot;</code>) and the Temporal CLI, and whether another version was <a href="./../reference/dependencies.html#tested-versions">tested</a></li><li>the config, the login of Claude Code, and which environment variables prompts do not get</li><li>the embedded server, the disk and the permissions of <code>.raymond</code>, the key file, and the artifact store</li><li>with <a href="./cluster.html#connect">an address</a>, the cluster instead of the embedded server: its namespace and search attributes, the workers of the task queue, and whether the clocks of this host and the server agree</li></ul><p>It takes at most 15 seconds, starts nothing and leaves no files behind.</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>ok       Node.js          20.20.2 (needed: &gt;=20.18.1)</span></span>
<span class="line"><span>failed   Claude Code      there is no &quot;claude&quot; on PATH; only workflows without prompts can run</span></span>
<span class="line"><span>                          → install it with &quot;npm install -g @anthropic-ai/claude-code&quot;, and log in by running &quot;claude&quot; once</span></span>
<span class="line"><span>…</span></span></code></pre></div><p><code>raymond doctor --deep</code> also reads the whole artifact store: it checks the hash of every artifact and every record of a run. It lists damaged files, and <a href="./recover.html#a-damaged-file">what to do about each</a>. It takes two to three seconds per GiB on a disk; from a bucket, it downloads everything once.</p><p>The exit code is 0 if runs can start (warnings do not count), else 69. <code>raymond doctor</code> finds out whether there is a login, but only Claude Code can tell whether it is still valid.</p><h2 id="in-a-shell" tabindex="-1">In a shell <a class="header-anchor" href="#in-a-shell" aria-label="Permalink to &quot;In a shell&quot;">​</a></h2><p><code>raymond completion bash|zsh|fish</code> prints a script that completes commands, flags and the ids of runs. Add one of these lines to your shell&#39;s startup file:</p><div class="language- vp-adaptive-theme"><button title="Copy Code" class="copy"></button><span class="lang"></span><pre class="shiki shiki-themes github-light github-dark vp-code" tabindex="0"><code><span class="line"><span>source &lt;(raymond completion bash)     # ~/.bashrc; for macOS&#39; own bash 3.2: eval &quot;$(raymond completion bash)&quot;</span></span>
<span class="line"><span>source &lt;(raymond completion zsh)      # ~/.zshrc, after compinit</span></span>
<span class="line"><span>raymond completion fish | source      # ~/.config/fish/config.fish</span></span></code></pre></div><p>The ids are those of the current project, or of the cluster that the environment or the config names. If no server answers within two seconds, no ids are offered. Load the script again after an update.</p></div>`);
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add("docs/how-to/set-up.md");
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const setUp = /* @__PURE__ */ _export_sfc(_sfc_main, [["ssrRender", _sfc_ssrRender]]);
export {
  __pageData,
  setUp as default
};
