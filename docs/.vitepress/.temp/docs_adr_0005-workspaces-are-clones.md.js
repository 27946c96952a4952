import { ssrRenderAttrs } from 'vue/server-renderer';
import { useSSRContext } from 'vue';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const __pageData = JSON.parse(
  '{"title":"5. Workspaces are clones that borrow their objects, and the run knows where they are","description":"","frontmatter":{},"headers":[],"relativePath":"docs/adr/0005-workspaces-are-clones.md","filePath":"docs/adr/0005-workspaces-are-clones.md"}',
);
const _sfc_main = { name: 'docs/adr/0005-workspaces-are-clones.md' };
function _sfc_ssrRender(_ctx, _push, _parent, _attrs, $props, $setup, $data, $options) {
  _push(
    `<div${ssrRenderAttrs(_attrs)}><h1 id="5-workspaces-are-clones-that-borrow-their-objects-and-the-run-knows-where-they-are" tabindex="-1">5. Workspaces are clones that borrow their objects, and the run knows where they are <a class="header-anchor" href="#5-workspaces-are-clones-that-borrow-their-objects-and-the-run-knows-where-they-are" aria-label="Permalink to &quot;5. Workspaces are clones that borrow their objects, and the run knows where they are&quot;">​</a></h1><p><strong>Context.</strong> An agent that may move to another host needs a folder at the same path on every host. The folder must be fast to create, and the agent may use git in it without restrictions.</p><p><strong>Decision: clones, not worktrees.</strong> A workspace is a repository of its own. Its alternates are the objects of a bare mirror on the host. Worktrees of one repository share stashes, branches and configuration: two runs could not check out a branch of the same name, and <code>git stash pop</code> in one worktree takes what another has stashed. The mirror never deletes objects, so borrowed objects stay.</p><p><strong>Decision: the run knows the places.</strong> The <code>run</code> workflow knows on which host each workspace is (<code>placements.ts</code>), because several agents may share one and must move together. An agent asks its run by signal, as it asks for an allowance, and an activity of the run creates the workspace. Turns in a workspace go to the task queue of its host and have one attempt, so that the workflow decides what to do when the host is silent. Every place has a generation, which is written into the workspace and into the store. A host that was offline finds the later generation in the store and refuses the turn.</p><p>A turn whose snapshot fails still counts. It is recorded, and the agent does not start its next step until its files are saved.</p><p><strong>Not chosen.</strong> Patches instead of objects lose commits, modes and links. An archive as the snapshot of every turn takes ten times as long and two thousand times as many bytes (measured in a repository of 5,000 files).</p><p><strong>Consequences.</strong> A mirror grows without limit; you can remove it yourself when no workspace borrows from it. The loss of a host is noticed after at most 75 s plus a heartbeat timeout, because a poll waits in the server for a minute.</p></div>`,
  );
}
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'docs/adr/0005-workspaces-are-clones.md',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const _0005WorkspacesAreClones = /* @__PURE__ */ _export_sfc(_sfc_main, [['ssrRender', _sfc_ssrRender]]);
export { __pageData, _0005WorkspacesAreClones as default };
