import {
  ssrRenderAttrs,
  ssrRenderSlot,
  ssrInterpolate,
  ssrRenderAttr,
  ssrRenderList,
  ssrRenderComponent,
  ssrRenderVNode,
  ssrRenderClass,
  renderToString,
} from 'vue/server-renderer';
import {
  defineComponent,
  mergeProps,
  useSSRContext,
  shallowRef,
  inject,
  computed,
  ref,
  watch,
  onUnmounted,
  reactive,
  markRaw,
  readonly,
  nextTick,
  h,
  unref,
  onMounted,
  watchEffect,
  watchPostEffect,
  onUpdated,
  resolveComponent,
  createVNode,
  resolveDynamicComponent,
  withCtx,
  renderSlot,
  createTextVNode,
  toDisplayString,
  openBlock,
  createBlock,
  createCommentVNode,
  Fragment,
  renderList,
  defineAsyncComponent,
  provide,
  toHandlers,
  withKeys,
  onBeforeUnmount,
  useSlots,
  createSSRApp,
} from 'vue';
import {
  usePreferredDark,
  useDark,
  useMediaQuery,
  useWindowSize,
  onKeyStroke,
  useWindowScroll,
  useScrollLock,
} from '@vueuse/core';
import { _ as _export_sfc } from './plugin-vue_export-helper.1tPrXgE0.js';
const _sfc_main$14 = /* @__PURE__ */ defineComponent({
  __name: 'VPBadge',
  __ssrInlineRender: true,
  props: {
    text: {},
    type: { default: 'tip' },
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<span${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPBadge', __props.type],
            },
            _attrs,
          ),
        )}>`,
      );
      ssrRenderSlot(
        _ctx.$slots,
        'default',
        {},
        () => {
          _push(`${ssrInterpolate(__props.text)}`);
        },
        _push,
        _parent,
      );
      _push(`</span>`);
    };
  },
});
const _sfc_setup$14 = _sfc_main$14.setup;
_sfc_main$14.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPBadge.vue',
  );
  return _sfc_setup$14 ? _sfc_setup$14(props, ctx) : void 0;
};
function deserializeFunctions(r) {
  return Array.isArray(r)
    ? r.map(deserializeFunctions)
    : typeof r == 'object' && r !== null
      ? Object.keys(r).reduce((t, n) => ((t[n] = deserializeFunctions(r[n])), t), {})
      : typeof r == 'string' && r.startsWith('_vp-fn_')
        ? new Function(`return ${r.slice(7)}`)()
        : r;
}
const siteData = deserializeFunctions(
  JSON.parse(
    `{"lang":"en-US","dir":"ltr","title":"Raymond","description":"Folders of prompts and scripts as durable programs","base":"/","head":[],"router":{"prefetchLinks":true},"appearance":true,"themeConfig":{"search":{"provider":"local"},"outline":"deep","sidebar":[{"text":"Tutorials","collapsed":false,"items":[{"text":"A first workflow","link":"/docs/tutorials/1-first-workflow"},{"text":"A dispatcher","link":"/docs/tutorials/2-dispatcher"},{"text":"A fleet","link":"/docs/tutorials/3-fleet"}]},{"text":"How to","collapsed":false,"items":[{"text":"Store artifacts in a folder or a bucket","link":"/docs/how-to/artifact-store"},{"text":"Writing workflows","link":"/docs/how-to/authoring"},{"text":"Choose what answers prompts","link":"/docs/how-to/backends"},{"text":"Run workflows on a cluster","link":"/docs/how-to/cluster"},{"text":"Docker","link":"/docs/how-to/docker"},{"text":"Encrypt what Temporal stores","link":"/docs/how-to/encryption"},{"text":"The engine of a project","link":"/docs/how-to/engine"},{"text":"A fleet: from one host to fifty","link":"/docs/how-to/fleet"},{"text":"Call a command on run events","link":"/docs/how-to/hooks"},{"text":"Share slots, limits and accounts","link":"/docs/how-to/limits"},{"text":"Let a coding agent operate runs (MCP)","link":"/docs/how-to/mcp"},{"text":"Metrics and traces","link":"/docs/how-to/monitoring"},{"text":"The page","link":"/docs/how-to/page"},{"text":"Continue after a failure","link":"/docs/how-to/recover"},{"text":"Run turns in a sandbox","link":"/docs/how-to/sandbox"},{"text":"Start runs on a schedule","link":"/docs/how-to/schedules"},{"text":"Check a machine","link":"/docs/how-to/set-up"},{"text":"Look at runs and steer them","link":"/docs/how-to/steer-runs"},{"text":"Temporal's own tools","link":"/docs/how-to/temporal-ui"},{"text":"Testing workflows","link":"/docs/how-to/testing"},{"text":"Give agents a git workspace","link":"/docs/how-to/workspaces"}]},{"text":"Reference","collapsed":false,"items":[{"text":"Raymond in a program","link":"/docs/reference/api-typescript"},{"text":"The HTTP API: raymond serve","link":"/docs/reference/api"},{"text":"Command line","link":"/docs/reference/cli"},{"text":"Config","link":"/docs/reference/config"},{"text":"Dependencies","link":"/docs/reference/dependencies"},{"text":"Exit codes","link":"/docs/reference/exit-codes"},{"text":"JSON","link":"/docs/reference/json"},{"text":"The language of workflows","link":"/docs/reference/language"},{"text":"What an order does","link":"/docs/reference/orders"},{"text":"Packages","link":"/docs/reference/packages"},{"text":"Platforms","link":"/docs/reference/platforms"},{"text":"What a terminal shows","link":"/docs/reference/terminal"}]},{"text":"Explanation","collapsed":false,"items":[{"text":"How agents wait","link":"/docs/explanation/architecture-agents"},{"text":"How faults are tested","link":"/docs/explanation/architecture-faults"},{"text":"How files are kept","link":"/docs/explanation/architecture-files"},{"text":"The map in detail","link":"/docs/explanation/architecture-map"},{"text":"How runs are read and steered","link":"/docs/explanation/architecture-steering"},{"text":"Durability","link":"/docs/explanation/durability"},{"text":"Faults and their tests","link":"/docs/explanation/faults"},{"text":"How fleets were tested","link":"/docs/explanation/fleet-trials"},{"text":"Other users of the machine","link":"/docs/explanation/other-users"},{"text":"What things cost","link":"/docs/explanation/performance"}]},{"text":"Decisions","collapsed":true,"items":[{"text":"1. The launcher spawns with node:child_process","link":"/docs/adr/0001-launcher-spawns-with-node"},{"text":"2. Allowances reserve the expected cost","link":"/docs/adr/0002-allowances-are-reserved-by-expectation"},{"text":"3. Claude Code prints into its journal","link":"/docs/adr/0003-claude-prints-into-its-journal"},{"text":"4. The engine or the following command calls hooks, at least once","link":"/docs/adr/0004-hooks"},{"text":"5. Workspaces are clones that borrow their objects, and the run knows where they are","link":"/docs/adr/0005-workspaces-are-clones"},{"text":"6. One activity may execute several script turns, each saved before the next","link":"/docs/adr/0006-chains-of-script-turns"},{"text":"7. Workflows run without the SDK's watchdog (withdrawn)","link":"/docs/adr/0007-workflows-run-without-a-watchdog"},{"text":"8. No stacks of promises in workflows","link":"/docs/adr/0008-no-stacks-of-promises"},{"text":"9. Every wait of an agent is a hold in its record","link":"/docs/adr/0009-holds"},{"text":"10. One engine per project","link":"/docs/adr/0010-engine"},{"text":"11. Turns outlive their attempts","link":"/docs/adr/0011-turns-outlive-their-attempts"},{"text":"12. raymond server manages only the server","link":"/docs/adr/0012-server-commands"},{"text":"13. The sandbox calls bubblewrap itself","link":"/docs/adr/0013-sandbox-by-bubblewrap"},{"text":"14. The container of a turn ends with its input","link":"/docs/adr/0014-containers"},{"text":"15. The contract is a folder of its own","link":"/docs/adr/0015-contract"}]},{"text":"Project","collapsed":false,"items":[{"text":"Architecture","link":"/ARCHITECTURE"},{"text":"Glossary","link":"/GLOSSARY"},{"text":"Contributing","link":"/CONTRIBUTING"},{"text":"Security","link":"/SECURITY"},{"text":"Changelog","link":"/CHANGELOG"}]}]},"locales":{},"scrollOffset":134,"cleanUrls":false}`,
  ),
);
const __vite_import_meta_env__ = {};
const EXTERNAL_URL_RE = /^(?:[a-z]+:|\/\/)/i;
const APPEARANCE_KEY = 'vitepress-theme-appearance';
const HASH_RE = /#.*$/;
const HASH_OR_QUERY_RE = /[?#].*$/;
const INDEX_OR_EXT_RE = /(?:(^|\/)index)?\.(?:md|html)$/;
const inBrowser = typeof document !== 'undefined';
const notFoundPageData = {
  relativePath: '404.md',
  filePath: '',
  title: '404',
  description: 'Not Found',
  headers: [],
  frontmatter: { sidebar: false, layout: 'page' },
  lastUpdated: 0,
  isNotFound: true,
};
function isActive(currentPath, matchPath, asRegex = false) {
  if (matchPath === void 0) {
    return false;
  }
  currentPath = normalize(`/${currentPath}`);
  if (asRegex) {
    return new RegExp(matchPath).test(currentPath);
  }
  if (normalize(matchPath) !== currentPath) {
    return false;
  }
  const hashMatch = matchPath.match(HASH_RE);
  if (hashMatch) {
    return (inBrowser ? location.hash : '') === hashMatch[0];
  }
  return true;
}
function normalize(path) {
  return decodeURI(path).replace(HASH_OR_QUERY_RE, '').replace(INDEX_OR_EXT_RE, '$1');
}
function isExternal(path) {
  return EXTERNAL_URL_RE.test(path);
}
function getLocaleForPath(siteData2, relativePath) {
  return (
    Object.keys((siteData2 == null ? void 0 : siteData2.locales) || {}).find(
      (key) => key !== 'root' && !isExternal(key) && isActive(relativePath, `/${key}/`, true),
    ) || 'root'
  );
}
function resolveSiteDataByRoute(siteData2, relativePath) {
  var _a, _b, _c, _d, _e, _f, _g;
  const localeIndex = getLocaleForPath(siteData2, relativePath);
  return Object.assign({}, siteData2, {
    localeIndex,
    lang: ((_a = siteData2.locales[localeIndex]) == null ? void 0 : _a.lang) ?? siteData2.lang,
    dir: ((_b = siteData2.locales[localeIndex]) == null ? void 0 : _b.dir) ?? siteData2.dir,
    title: ((_c = siteData2.locales[localeIndex]) == null ? void 0 : _c.title) ?? siteData2.title,
    titleTemplate:
      ((_d = siteData2.locales[localeIndex]) == null ? void 0 : _d.titleTemplate) ?? siteData2.titleTemplate,
    description: ((_e = siteData2.locales[localeIndex]) == null ? void 0 : _e.description) ?? siteData2.description,
    head: mergeHead(siteData2.head, ((_f = siteData2.locales[localeIndex]) == null ? void 0 : _f.head) ?? []),
    themeConfig: {
      ...siteData2.themeConfig,
      ...((_g = siteData2.locales[localeIndex]) == null ? void 0 : _g.themeConfig),
    },
  });
}
function createTitle(siteData2, pageData) {
  const title = pageData.title || siteData2.title;
  const template = pageData.titleTemplate ?? siteData2.titleTemplate;
  if (typeof template === 'string' && template.includes(':title')) {
    return template.replace(/:title/g, title);
  }
  const templateString = createTitleTemplate(siteData2.title, template);
  if (title === templateString.slice(3)) {
    return title;
  }
  return `${title}${templateString}`;
}
function createTitleTemplate(siteTitle, template) {
  if (template === false) {
    return '';
  }
  if (template === true || template === void 0) {
    return ` | ${siteTitle}`;
  }
  if (siteTitle === template) {
    return '';
  }
  return ` | ${template}`;
}
function hasTag(head, tag) {
  const [tagType, tagAttrs] = tag;
  if (tagType !== 'meta') return false;
  const keyAttr = Object.entries(tagAttrs)[0];
  if (keyAttr == null) return false;
  return head.some(([type, attrs]) => type === tagType && attrs[keyAttr[0]] === keyAttr[1]);
}
function mergeHead(prev, curr) {
  return [...prev.filter((tagAttrs) => !hasTag(curr, tagAttrs)), ...curr];
}
const INVALID_CHAR_REGEX = /[\u0000-\u001F"#$&*+,:;<=>?[\]^`{|}\u007F]/g;
const DRIVE_LETTER_REGEX = /^[a-z]:/i;
function sanitizeFileName(name) {
  const match = DRIVE_LETTER_REGEX.exec(name);
  const driveLetter = match ? match[0] : '';
  return (
    driveLetter +
    name
      .slice(driveLetter.length)
      .replace(INVALID_CHAR_REGEX, '_')
      .replace(/(^|\/)_+(?=[^/]*$)/, '$1')
  );
}
const KNOWN_EXTENSIONS = /* @__PURE__ */ new Set();
function treatAsHtml(filename) {
  var _a;
  if (KNOWN_EXTENSIONS.size === 0) {
    const extraExts =
      (typeof process === 'object' && ((_a = process.env) == null ? void 0 : _a.VITE_EXTRA_EXTENSIONS)) ||
      (__vite_import_meta_env__ == null ? void 0 : __vite_import_meta_env__.VITE_EXTRA_EXTENSIONS) ||
      '';
    (
      '3g2,3gp,aac,ai,apng,au,avif,bin,bmp,cer,class,conf,crl,css,csv,dll,doc,eps,epub,exe,gif,gz,ics,ief,jar,jpe,jpeg,jpg,js,json,jsonld,m4a,man,mid,midi,mjs,mov,mp2,mp3,mp4,mpe,mpeg,mpg,mpp,oga,ogg,ogv,ogx,opus,otf,p10,p7c,p7m,p7s,pdf,png,ps,qt,roff,rtf,rtx,ser,svg,t,tif,tiff,tr,ts,tsv,ttf,txt,vtt,wav,weba,webm,webp,woff,woff2,xhtml,xml,yaml,yml,zip' +
      (extraExts && typeof extraExts === 'string' ? ',' + extraExts : '')
    )
      .split(',')
      .forEach((ext2) => KNOWN_EXTENSIONS.add(ext2));
  }
  const ext = filename.split('.').pop();
  return ext == null || !KNOWN_EXTENSIONS.has(ext.toLowerCase());
}
function escapeRegExp(str) {
  return str.replace(/[|\\{}()[\]^$+*?.]/g, '\\$&').replace(/-/g, '\\x2d');
}
const dataSymbol = Symbol();
const siteDataRef = shallowRef(siteData);
function initData(route) {
  const site = computed(() => resolveSiteDataByRoute(siteDataRef.value, route.data.relativePath));
  const appearance = site.value.appearance;
  const isDark =
    appearance === 'force-dark'
      ? ref(true)
      : appearance === 'force-auto'
        ? usePreferredDark()
        : appearance
          ? useDark({
              storageKey: APPEARANCE_KEY,
              initialValue: () => (appearance === 'dark' ? 'dark' : 'auto'),
              ...(typeof appearance === 'object' ? appearance : {}),
            })
          : ref(false);
  const hashRef = ref(inBrowser ? location.hash : '');
  if (inBrowser) {
    window.addEventListener('hashchange', () => {
      hashRef.value = location.hash;
    });
  }
  watch(
    () => route.data,
    () => {
      hashRef.value = inBrowser ? location.hash : '';
    },
  );
  return {
    site,
    theme: computed(() => site.value.themeConfig),
    page: computed(() => route.data),
    frontmatter: computed(() => route.data.frontmatter),
    params: computed(() => route.data.params),
    lang: computed(() => site.value.lang),
    dir: computed(() => route.data.frontmatter.dir || site.value.dir),
    localeIndex: computed(() => site.value.localeIndex || 'root'),
    title: computed(() => createTitle(site.value, route.data)),
    description: computed(() => route.data.description || site.value.description),
    isDark,
    hash: computed(() => hashRef.value),
  };
}
function useData$1() {
  const data = inject(dataSymbol);
  if (!data) {
    throw new Error('vitepress data not properly injected in app');
  }
  return data;
}
function joinPath(base, path) {
  return `${base}${path}`.replace(/\/+/g, '/');
}
function withBase(path) {
  return EXTERNAL_URL_RE.test(path) || !path.startsWith('/') ? path : joinPath(siteDataRef.value.base, path);
}
function pathToFile(path) {
  let pagePath = path.replace(/\.html$/, '');
  pagePath = decodeURIComponent(pagePath);
  pagePath = pagePath.replace(/\/$/, '/index');
  {
    if (inBrowser) {
      const base = '/';
      pagePath = sanitizeFileName(pagePath.slice(base.length).replace(/\//g, '_') || 'index') + '.md';
      let pageHash = __VP_HASH_MAP__[pagePath.toLowerCase()];
      if (!pageHash) {
        pagePath = pagePath.endsWith('_index.md') ? pagePath.slice(0, -9) + '.md' : pagePath.slice(0, -3) + '_index.md';
        pageHash = __VP_HASH_MAP__[pagePath.toLowerCase()];
      }
      if (!pageHash) return null;
      pagePath = `${base}${'assets'}/${pagePath}.${pageHash}.js`;
    } else {
      pagePath = `./${sanitizeFileName(pagePath.slice(1).replace(/\//g, '_'))}.md.js`;
    }
  }
  return pagePath;
}
let contentUpdatedCallbacks = [];
function onContentUpdated(fn) {
  contentUpdatedCallbacks.push(fn);
  onUnmounted(() => {
    contentUpdatedCallbacks = contentUpdatedCallbacks.filter((f) => f !== fn);
  });
}
function getScrollOffset() {
  let scrollOffset = siteDataRef.value.scrollOffset;
  let offset = 0;
  let padding = 24;
  if (typeof scrollOffset === 'object' && 'padding' in scrollOffset) {
    padding = scrollOffset.padding;
    scrollOffset = scrollOffset.selector;
  }
  if (typeof scrollOffset === 'number') {
    offset = scrollOffset;
  } else if (typeof scrollOffset === 'string') {
    offset = tryOffsetSelector(scrollOffset, padding);
  } else if (Array.isArray(scrollOffset)) {
    for (const selector of scrollOffset) {
      const res = tryOffsetSelector(selector, padding);
      if (res) {
        offset = res;
        break;
      }
    }
  }
  return offset;
}
function tryOffsetSelector(selector, padding) {
  const el = document.querySelector(selector);
  if (!el) return 0;
  const bot = el.getBoundingClientRect().bottom;
  if (bot < 0) return 0;
  return bot + padding;
}
const RouterSymbol = Symbol();
const fakeHost = 'http://a.com';
const getDefaultRoute = () => ({
  path: '/',
  component: null,
  data: notFoundPageData,
});
function createRouter(loadPageModule, fallbackComponent) {
  const route = reactive(getDefaultRoute());
  const router = {
    route,
    go,
  };
  async function go(href = inBrowser ? location.href : '/') {
    var _a, _b;
    href = normalizeHref(href);
    if ((await ((_a = router.onBeforeRouteChange) == null ? void 0 : _a.call(router, href))) === false) return;
    if (inBrowser && href !== normalizeHref(location.href)) {
      history.replaceState({ scrollPosition: window.scrollY }, '');
      history.pushState({}, '', href);
    }
    await loadPage(href);
    await ((_b = router.onAfterRouteChange ?? router.onAfterRouteChanged) == null ? void 0 : _b(href));
  }
  let latestPendingPath = null;
  async function loadPage(href, scrollPosition = 0, isRetry = false) {
    var _a, _b;
    if ((await ((_a = router.onBeforePageLoad) == null ? void 0 : _a.call(router, href))) === false) return;
    const targetLoc = new URL(href, fakeHost);
    const pendingPath = (latestPendingPath = targetLoc.pathname);
    try {
      let page = await loadPageModule(pendingPath);
      if (!page) {
        throw new Error(`Page not found: ${pendingPath}`);
      }
      if (latestPendingPath === pendingPath) {
        latestPendingPath = null;
        const { default: comp, __pageData } = page;
        if (!comp) {
          throw new Error(`Invalid route component: ${comp}`);
        }
        await ((_b = router.onAfterPageLoad) == null ? void 0 : _b.call(router, href));
        route.path = inBrowser ? pendingPath : withBase(pendingPath);
        route.component = markRaw(comp);
        route.data = true ? markRaw(__pageData) : readonly(__pageData);
        if (inBrowser) {
          nextTick(() => {
            let actualPathname =
              siteDataRef.value.base + __pageData.relativePath.replace(/(?:(^|\/)index)?\.md$/, '$1');
            if (!siteDataRef.value.cleanUrls && !actualPathname.endsWith('/')) {
              actualPathname += '.html';
            }
            if (actualPathname !== targetLoc.pathname) {
              targetLoc.pathname = actualPathname;
              href = actualPathname + targetLoc.search + targetLoc.hash;
              history.replaceState({}, '', href);
            }
            if (targetLoc.hash && !scrollPosition) {
              let target = null;
              try {
                target = document.getElementById(decodeURIComponent(targetLoc.hash).slice(1));
              } catch (e) {
                console.warn(e);
              }
              if (target) {
                scrollTo(target, targetLoc.hash);
                return;
              }
            }
            window.scrollTo(0, scrollPosition);
          });
        }
      }
    } catch (err) {
      if (!/fetch|Page not found/.test(err.message) && !/^\/404(\.html|\/)?$/.test(href)) {
        console.error(err);
      }
      if (!isRetry) {
        try {
          const res = await fetch(siteDataRef.value.base + 'hashmap.json');
          window.__VP_HASH_MAP__ = await res.json();
          await loadPage(href, scrollPosition, true);
          return;
        } catch (e) {}
      }
      if (latestPendingPath === pendingPath) {
        latestPendingPath = null;
        route.path = inBrowser ? pendingPath : withBase(pendingPath);
        route.component = fallbackComponent ? markRaw(fallbackComponent) : null;
        const relativePath = inBrowser
          ? pendingPath
              .replace(/(^|\/)$/, '$1index')
              .replace(/(\.html)?$/, '.md')
              .replace(/^\//, '')
          : '404.md';
        route.data = { ...notFoundPageData, relativePath };
      }
    }
  }
  if (inBrowser) {
    if (history.state === null) {
      history.replaceState({}, '');
    }
    window.addEventListener(
      'click',
      (e) => {
        if (
          e.defaultPrevented ||
          !(e.target instanceof Element) ||
          e.target.closest('button') || // temporary fix for docsearch action buttons
          e.button !== 0 ||
          e.ctrlKey ||
          e.shiftKey ||
          e.altKey ||
          e.metaKey
        )
          return;
        const link2 = e.target.closest('a');
        if (!link2 || link2.closest('.vp-raw') || link2.hasAttribute('download') || link2.hasAttribute('target'))
          return;
        const linkHref =
          link2.getAttribute('href') ?? (link2 instanceof SVGAElement ? link2.getAttribute('xlink:href') : null);
        if (linkHref == null) return;
        const { href, origin, pathname, hash, search } = new URL(linkHref, link2.baseURI);
        const currentUrl = new URL(location.href);
        if (origin === currentUrl.origin && treatAsHtml(pathname)) {
          e.preventDefault();
          if (pathname === currentUrl.pathname && search === currentUrl.search) {
            if (hash !== currentUrl.hash) {
              history.pushState({}, '', href);
              window.dispatchEvent(
                new HashChangeEvent('hashchange', {
                  oldURL: currentUrl.href,
                  newURL: href,
                }),
              );
            }
            if (hash) {
              scrollTo(link2, hash, link2.classList.contains('header-anchor'));
            } else {
              window.scrollTo(0, 0);
            }
          } else {
            go(href);
          }
        }
      },
      { capture: true },
    );
    window.addEventListener('popstate', async (e) => {
      var _a;
      if (e.state === null) return;
      const href = normalizeHref(location.href);
      await loadPage(href, (e.state && e.state.scrollPosition) || 0);
      await ((_a = router.onAfterRouteChange ?? router.onAfterRouteChanged) == null ? void 0 : _a(href));
    });
    window.addEventListener('hashchange', (e) => {
      e.preventDefault();
    });
  }
  return router;
}
function useRouter() {
  const router = inject(RouterSymbol);
  if (!router) {
    throw new Error('useRouter() is called without provider.');
  }
  return router;
}
function useRoute() {
  return useRouter().route;
}
function scrollTo(el, hash, smooth = false) {
  let target = null;
  try {
    target = el.classList.contains('header-anchor') ? el : document.getElementById(decodeURIComponent(hash).slice(1));
  } catch (e) {
    console.warn(e);
  }
  if (target) {
    let scrollToTarget = function () {
      if (!smooth || Math.abs(targetTop - window.scrollY) > window.innerHeight) window.scrollTo(0, targetTop);
      else window.scrollTo({ left: 0, top: targetTop, behavior: 'smooth' });
    };
    const targetPadding = parseInt(window.getComputedStyle(target).paddingTop, 10);
    const targetTop = window.scrollY + target.getBoundingClientRect().top - getScrollOffset() + targetPadding;
    requestAnimationFrame(scrollToTarget);
  }
}
function normalizeHref(href) {
  const url = new URL(href, fakeHost);
  url.pathname = url.pathname.replace(/(^|\/)index(\.html)?$/, '$1');
  if (siteDataRef.value.cleanUrls) url.pathname = url.pathname.replace(/\.html$/, '');
  else if (!url.pathname.endsWith('/') && !url.pathname.endsWith('.html')) url.pathname += '.html';
  return url.pathname + url.search + url.hash;
}
const runCbs = () => contentUpdatedCallbacks.forEach((fn) => fn());
const Content = defineComponent({
  name: 'VitePressContent',
  props: {
    as: { type: [Object, String], default: 'div' },
  },
  setup(props) {
    const route = useRoute();
    const { frontmatter, site } = useData$1();
    watch(frontmatter, runCbs, { deep: true, flush: 'post' });
    return () =>
      h(props.as, site.value.contentProps ?? { style: { position: 'relative' } }, [
        route.component
          ? h(route.component, {
              onVnodeMounted: runCbs,
              onVnodeUpdated: runCbs,
              onVnodeUnmounted: runCbs,
            })
          : '404 Page Not Found',
      ]);
  },
});
const _sfc_main$13 = /* @__PURE__ */ defineComponent({
  __name: 'VPBackdrop',
  __ssrInlineRender: true,
  props: {
    show: { type: Boolean },
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      if (__props.show) {
        _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPBackdrop' }, _attrs))} data-v-54a304ca></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$13 = _sfc_main$13.setup;
_sfc_main$13.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPBackdrop.vue',
  );
  return _sfc_setup$13 ? _sfc_setup$13(props, ctx) : void 0;
};
const VPBackdrop = /* @__PURE__ */ _export_sfc(_sfc_main$13, [['__scopeId', 'data-v-54a304ca']]);
const useData = useData$1;
function throttleAndDebounce(fn, delay) {
  let timeoutId;
  let called = false;
  return () => {
    if (timeoutId) clearTimeout(timeoutId);
    if (!called) {
      fn();
      (called = true) && setTimeout(() => (called = false), delay);
    } else timeoutId = setTimeout(fn, delay);
  };
}
function ensureStartingSlash(path) {
  return path.startsWith('/') ? path : `/${path}`;
}
function normalizeLink$1(url) {
  const { pathname, search, hash, protocol } = new URL(url, 'http://a.com');
  if (isExternal(url) || url.startsWith('#') || !protocol.startsWith('http') || !treatAsHtml(pathname)) return url;
  const { site } = useData();
  const normalizedPath =
    pathname.endsWith('/') || pathname.endsWith('.html')
      ? url
      : url.replace(
          /(?:(^\.+)\/)?.*$/,
          `$1${pathname.replace(/(\.md)?$/, site.value.cleanUrls ? '' : '.html')}${search}${hash}`,
        );
  return withBase(normalizedPath);
}
function useLangs({ correspondingLink = false } = {}) {
  const { site, localeIndex, page, theme: theme2, hash } = useData();
  const currentLang = computed(() => {
    var _a, _b;
    return {
      label: (_a = site.value.locales[localeIndex.value]) == null ? void 0 : _a.label,
      link:
        ((_b = site.value.locales[localeIndex.value]) == null ? void 0 : _b.link) ||
        (localeIndex.value === 'root' ? '/' : `/${localeIndex.value}/`),
    };
  });
  const localeLinks = computed(() =>
    Object.entries(site.value.locales).flatMap(([key, value]) =>
      currentLang.value.label === value.label
        ? []
        : {
            text: value.label,
            link:
              normalizeLink(
                value.link || (key === 'root' ? '/' : `/${key}/`),
                theme2.value.i18nRouting !== false && correspondingLink,
                page.value.relativePath.slice(currentLang.value.link.length - 1),
                !site.value.cleanUrls,
              ) + hash.value,
          },
    ),
  );
  return { localeLinks, currentLang };
}
function normalizeLink(link2, addPath, path, addExt) {
  return addPath
    ? link2.replace(/\/$/, '') +
        ensureStartingSlash(path.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, addExt ? '.html' : ''))
    : link2;
}
const _sfc_main$12 = /* @__PURE__ */ defineComponent({
  __name: 'NotFound',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const { currentLang } = useLangs();
    return (_ctx, _push, _parent, _attrs) => {
      var _a, _b, _c, _d, _e;
      _push(
        `<div${ssrRenderAttrs(mergeProps({ class: 'NotFound' }, _attrs))} data-v-6ff51ddd><p class="code" data-v-6ff51ddd>${ssrInterpolate(((_a = unref(theme2).notFound) == null ? void 0 : _a.code) ?? '404')}</p><h1 class="title" data-v-6ff51ddd>${ssrInterpolate(((_b = unref(theme2).notFound) == null ? void 0 : _b.title) ?? 'PAGE NOT FOUND')}</h1><div class="divider" data-v-6ff51ddd></div><blockquote class="quote" data-v-6ff51ddd>${ssrInterpolate(((_c = unref(theme2).notFound) == null ? void 0 : _c.quote) ?? "But if you don't change your direction, and if you keep looking, you may end up where you are heading.")}</blockquote><div class="action" data-v-6ff51ddd><a class="link"${ssrRenderAttr('href', unref(withBase)(unref(currentLang).link))}${ssrRenderAttr('aria-label', ((_d = unref(theme2).notFound) == null ? void 0 : _d.linkLabel) ?? 'go to home')} data-v-6ff51ddd>${ssrInterpolate(((_e = unref(theme2).notFound) == null ? void 0 : _e.linkText) ?? 'Take me home')}</a></div></div>`,
      );
    };
  },
});
const _sfc_setup$12 = _sfc_main$12.setup;
_sfc_main$12.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/NotFound.vue',
  );
  return _sfc_setup$12 ? _sfc_setup$12(props, ctx) : void 0;
};
const NotFound = /* @__PURE__ */ _export_sfc(_sfc_main$12, [['__scopeId', 'data-v-6ff51ddd']]);
function getSidebar(_sidebar, path) {
  if (Array.isArray(_sidebar)) return addBase(_sidebar);
  if (_sidebar == null) return [];
  path = ensureStartingSlash(path);
  const dir = Object.keys(_sidebar)
    .sort((a, b) => {
      return b.split('/').length - a.split('/').length;
    })
    .find((dir2) => {
      return path.startsWith(ensureStartingSlash(dir2));
    });
  const sidebar = dir ? _sidebar[dir] : [];
  return Array.isArray(sidebar) ? addBase(sidebar) : addBase(sidebar.items, sidebar.base);
}
function getSidebarGroups(sidebar) {
  const groups = [];
  let lastGroupIndex = 0;
  for (const index in sidebar) {
    const item = sidebar[index];
    if (item.items) {
      lastGroupIndex = groups.push(item);
      continue;
    }
    if (!groups[lastGroupIndex]) {
      groups.push({ items: [] });
    }
    groups[lastGroupIndex].items.push(item);
  }
  return groups;
}
function getFlatSideBarLinks(sidebar) {
  const links = [];
  function recursivelyExtractLinks(items) {
    for (const item of items) {
      if (item.text && item.link) {
        links.push({
          text: item.text,
          link: item.link,
          docFooterText: item.docFooterText,
        });
      }
      if (item.items) {
        recursivelyExtractLinks(item.items);
      }
    }
  }
  recursivelyExtractLinks(sidebar);
  return links;
}
function hasActiveLink(path, items) {
  if (Array.isArray(items)) {
    return items.some((item) => hasActiveLink(path, item));
  }
  return isActive(path, items.link) ? true : items.items ? hasActiveLink(path, items.items) : false;
}
function addBase(items, _base) {
  return [...items].map((_item) => {
    const item = { ..._item };
    const base = item.base || _base;
    if (base && item.link) item.link = base + item.link;
    if (item.items) item.items = addBase(item.items, base);
    return item;
  });
}
function useSidebar() {
  const { frontmatter, page, theme: theme2 } = useData();
  const is960 = useMediaQuery('(min-width: 960px)');
  const isOpen = ref(false);
  const _sidebar = computed(() => {
    const sidebarConfig = theme2.value.sidebar;
    const relativePath = page.value.relativePath;
    return sidebarConfig ? getSidebar(sidebarConfig, relativePath) : [];
  });
  const sidebar = ref(_sidebar.value);
  watch(_sidebar, (next, prev) => {
    if (JSON.stringify(next) !== JSON.stringify(prev)) sidebar.value = _sidebar.value;
  });
  const hasSidebar = computed(() => {
    return frontmatter.value.sidebar !== false && sidebar.value.length > 0 && frontmatter.value.layout !== 'home';
  });
  const leftAside = computed(() => {
    if (hasAside)
      return frontmatter.value.aside == null ? theme2.value.aside === 'left' : frontmatter.value.aside === 'left';
    return false;
  });
  const hasAside = computed(() => {
    if (frontmatter.value.layout === 'home') return false;
    if (frontmatter.value.aside != null) return !!frontmatter.value.aside;
    return theme2.value.aside !== false;
  });
  const isSidebarEnabled = computed(() => hasSidebar.value && is960.value);
  const sidebarGroups = computed(() => {
    return hasSidebar.value ? getSidebarGroups(sidebar.value) : [];
  });
  function open() {
    isOpen.value = true;
  }
  function close() {
    isOpen.value = false;
  }
  function toggle() {
    isOpen.value ? close() : open();
  }
  return {
    isOpen,
    sidebar,
    sidebarGroups,
    hasSidebar,
    hasAside,
    leftAside,
    isSidebarEnabled,
    open,
    close,
    toggle,
  };
}
function useCloseSidebarOnEscape(isOpen, close) {
  let triggerElement;
  watchEffect(() => {
    triggerElement = isOpen.value ? document.activeElement : void 0;
  });
  onMounted(() => {
    window.addEventListener('keyup', onEscape);
  });
  onUnmounted(() => {
    window.removeEventListener('keyup', onEscape);
  });
  function onEscape(e) {
    if (e.key === 'Escape' && isOpen.value) {
      close();
      triggerElement == null ? void 0 : triggerElement.focus();
    }
  }
}
function useSidebarControl(item) {
  const { page, hash } = useData();
  const collapsed = ref(false);
  const collapsible = computed(() => {
    return item.value.collapsed != null;
  });
  const isLink = computed(() => {
    return !!item.value.link;
  });
  const isActiveLink = ref(false);
  const updateIsActiveLink = () => {
    isActiveLink.value = isActive(page.value.relativePath, item.value.link);
  };
  watch([page, item, hash], updateIsActiveLink);
  onMounted(updateIsActiveLink);
  const hasActiveLink$1 = computed(() => {
    if (isActiveLink.value) {
      return true;
    }
    return item.value.items ? hasActiveLink(page.value.relativePath, item.value.items) : false;
  });
  const hasChildren = computed(() => {
    return !!(item.value.items && item.value.items.length);
  });
  watchEffect(() => {
    collapsed.value = !!(collapsible.value && item.value.collapsed);
  });
  watchPostEffect(() => {
    (isActiveLink.value || hasActiveLink$1.value) && (collapsed.value = false);
  });
  function toggle() {
    if (collapsible.value) {
      collapsed.value = !collapsed.value;
    }
  }
  return {
    collapsed,
    collapsible,
    isLink,
    isActiveLink,
    hasActiveLink: hasActiveLink$1,
    hasChildren,
    toggle,
  };
}
function useAside() {
  const { hasSidebar } = useSidebar();
  const is960 = useMediaQuery('(min-width: 960px)');
  const is1280 = useMediaQuery('(min-width: 1280px)');
  const isAsideEnabled = computed(() => {
    if (!is1280.value && !is960.value) {
      return false;
    }
    return hasSidebar.value ? is1280.value : is960.value;
  });
  return {
    isAsideEnabled,
  };
}
const ignoreRE = /\b(?:VPBadge|header-anchor|footnote-ref|ignore-header)\b/;
const resolvedHeaders = [];
function resolveTitle(theme2) {
  return (
    (typeof theme2.outline === 'object' && !Array.isArray(theme2.outline) && theme2.outline.label) ||
    theme2.outlineTitle ||
    'On this page'
  );
}
function getHeaders(range) {
  const headers = [...document.querySelectorAll('.VPDoc :where(h1,h2,h3,h4,h5,h6)')]
    .filter((el) => el.id && el.hasChildNodes())
    .map((el) => {
      const level = Number(el.tagName[1]);
      return {
        element: el,
        title: serializeHeader(el),
        link: '#' + el.id,
        level,
      };
    });
  return resolveHeaders(headers, range);
}
function serializeHeader(h2) {
  let ret = '';
  for (const node of h2.childNodes) {
    if (node.nodeType === 1) {
      if (ignoreRE.test(node.className)) continue;
      ret += node.textContent;
    } else if (node.nodeType === 3) {
      ret += node.textContent;
    }
  }
  return ret.trim();
}
function resolveHeaders(headers, range) {
  if (range === false) {
    return [];
  }
  const levelsRange = (typeof range === 'object' && !Array.isArray(range) ? range.level : range) || 2;
  const [high, low] =
    typeof levelsRange === 'number' ? [levelsRange, levelsRange] : levelsRange === 'deep' ? [2, 6] : levelsRange;
  return buildTree(headers, high, low);
}
function useActiveAnchor(container, marker) {
  const { isAsideEnabled } = useAside();
  const onScroll = throttleAndDebounce(setActiveLink, 100);
  let prevActiveLink = null;
  onMounted(() => {
    requestAnimationFrame(setActiveLink);
    window.addEventListener('scroll', onScroll);
  });
  onUpdated(() => {
    activateLink(location.hash);
  });
  onUnmounted(() => {
    window.removeEventListener('scroll', onScroll);
  });
  function setActiveLink() {
    if (!isAsideEnabled.value) {
      return;
    }
    const scrollY = window.scrollY;
    const innerHeight = window.innerHeight;
    const offsetHeight = document.body.offsetHeight;
    const isBottom = Math.abs(scrollY + innerHeight - offsetHeight) < 1;
    const headers = resolvedHeaders
      .map(({ element, link: link2 }) => ({
        link: link2,
        top: getAbsoluteTop(element),
      }))
      .filter(({ top }) => !Number.isNaN(top))
      .sort((a, b) => a.top - b.top);
    if (!headers.length) {
      activateLink(null);
      return;
    }
    if (scrollY < 1) {
      activateLink(null);
      return;
    }
    if (isBottom) {
      activateLink(headers[headers.length - 1].link);
      return;
    }
    let activeLink = null;
    for (const { link: link2, top } of headers) {
      if (top > scrollY + getScrollOffset() + 4) {
        break;
      }
      activeLink = link2;
    }
    activateLink(activeLink);
  }
  function activateLink(hash) {
    if (prevActiveLink) {
      prevActiveLink.classList.remove('active');
    }
    if (hash == null) {
      prevActiveLink = null;
    } else {
      prevActiveLink = container.value.querySelector(`a[href="${decodeURIComponent(hash)}"]`);
    }
    const activeLink = prevActiveLink;
    if (activeLink) {
      activeLink.classList.add('active');
      marker.value.style.top = activeLink.offsetTop + 39 + 'px';
      marker.value.style.opacity = '1';
    } else {
      marker.value.style.top = '33px';
      marker.value.style.opacity = '0';
    }
  }
}
function getAbsoluteTop(element) {
  let offsetTop = 0;
  while (element !== document.body) {
    if (element === null) {
      return NaN;
    }
    offsetTop += element.offsetTop;
    element = element.offsetParent;
  }
  return offsetTop;
}
function buildTree(data, min, max) {
  resolvedHeaders.length = 0;
  const result = [];
  const stack = [];
  data.forEach((item) => {
    const node = { ...item, children: [] };
    let parent = stack[stack.length - 1];
    while (parent && parent.level >= node.level) {
      stack.pop();
      parent = stack[stack.length - 1];
    }
    if (node.element.classList.contains('ignore-header') || (parent && 'shouldIgnore' in parent)) {
      stack.push({ level: node.level, shouldIgnore: true });
      return;
    }
    if (node.level > max || node.level < min) return;
    resolvedHeaders.push({ element: node.element, link: node.link });
    if (parent) parent.children.push(node);
    else result.push(node);
    stack.push(node);
  });
  return result;
}
const _sfc_main$11 = /* @__PURE__ */ defineComponent({
  __name: 'VPDocOutlineItem',
  __ssrInlineRender: true,
  props: {
    headers: {},
    root: { type: Boolean },
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      const _component_VPDocOutlineItem = resolveComponent('VPDocOutlineItem', true);
      _push(
        `<ul${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPDocOutlineItem', __props.root ? 'root' : 'nested'],
            },
            _attrs,
          ),
        )} data-v-53c99d69><!--[-->`,
      );
      ssrRenderList(__props.headers, ({ children, link: link2, title }) => {
        _push(
          `<li data-v-53c99d69><a class="outline-link"${ssrRenderAttr('href', link2)}${ssrRenderAttr('title', title)} data-v-53c99d69>${ssrInterpolate(title)}</a>`,
        );
        if (children == null ? void 0 : children.length) {
          _push(ssrRenderComponent(_component_VPDocOutlineItem, { headers: children }, null, _parent));
        } else {
          _push(`<!---->`);
        }
        _push(`</li>`);
      });
      _push(`<!--]--></ul>`);
    };
  },
});
const _sfc_setup$11 = _sfc_main$11.setup;
_sfc_main$11.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocOutlineItem.vue',
  );
  return _sfc_setup$11 ? _sfc_setup$11(props, ctx) : void 0;
};
const VPDocOutlineItem = /* @__PURE__ */ _export_sfc(_sfc_main$11, [['__scopeId', 'data-v-53c99d69']]);
const _sfc_main$10 = /* @__PURE__ */ defineComponent({
  __name: 'VPDocAsideOutline',
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter, theme: theme2 } = useData();
    const headers = shallowRef([]);
    onContentUpdated(() => {
      headers.value = getHeaders(frontmatter.value.outline ?? theme2.value.outline);
    });
    const container = ref();
    const marker = ref();
    useActiveAnchor(container, marker);
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<nav${ssrRenderAttrs(
          mergeProps(
            {
              'aria-labelledby': 'doc-outline-aria-label',
              class: ['VPDocAsideOutline', { 'has-outline': headers.value.length > 0 }],
              ref_key: 'container',
              ref: container,
            },
            _attrs,
          ),
        )} data-v-f610f197><div class="content" data-v-f610f197><div class="outline-marker" data-v-f610f197></div><div aria-level="2" class="outline-title" id="doc-outline-aria-label" role="heading" data-v-f610f197>${ssrInterpolate(unref(resolveTitle)(unref(theme2)))}</div>`,
      );
      _push(
        ssrRenderComponent(
          VPDocOutlineItem,
          {
            headers: headers.value,
            root: true,
          },
          null,
          _parent,
        ),
      );
      _push(`</div></nav>`);
    };
  },
});
const _sfc_setup$10 = _sfc_main$10.setup;
_sfc_main$10.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocAsideOutline.vue',
  );
  return _sfc_setup$10 ? _sfc_setup$10(props, ctx) : void 0;
};
const VPDocAsideOutline = /* @__PURE__ */ _export_sfc(_sfc_main$10, [['__scopeId', 'data-v-f610f197']]);
const _sfc_main$$ = /* @__PURE__ */ defineComponent({
  __name: 'VPDocAsideCarbonAds',
  __ssrInlineRender: true,
  props: {
    carbonAds: {},
  },
  setup(__props) {
    const VPCarbonAds = () => null;
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPDocAsideCarbonAds' }, _attrs))}>`);
      _push(ssrRenderComponent(unref(VPCarbonAds), { 'carbon-ads': __props.carbonAds }, null, _parent));
      _push(`</div>`);
    };
  },
});
const _sfc_setup$$ = _sfc_main$$.setup;
_sfc_main$$.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocAsideCarbonAds.vue',
  );
  return _sfc_setup$$ ? _sfc_setup$$(props, ctx) : void 0;
};
const _sfc_main$_ = /* @__PURE__ */ defineComponent({
  __name: 'VPDocAside',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPDocAside' }, _attrs))} data-v-cb998dce>`);
      ssrRenderSlot(_ctx.$slots, 'aside-top', {}, null, _push, _parent);
      ssrRenderSlot(_ctx.$slots, 'aside-outline-before', {}, null, _push, _parent);
      _push(ssrRenderComponent(VPDocAsideOutline, null, null, _parent));
      ssrRenderSlot(_ctx.$slots, 'aside-outline-after', {}, null, _push, _parent);
      _push(`<div class="spacer" data-v-cb998dce></div>`);
      ssrRenderSlot(_ctx.$slots, 'aside-ads-before', {}, null, _push, _parent);
      if (unref(theme2).carbonAds) {
        _push(
          ssrRenderComponent(
            _sfc_main$$,
            {
              'carbon-ads': unref(theme2).carbonAds,
            },
            null,
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot(_ctx.$slots, 'aside-ads-after', {}, null, _push, _parent);
      ssrRenderSlot(_ctx.$slots, 'aside-bottom', {}, null, _push, _parent);
      _push(`</div>`);
    };
  },
});
const _sfc_setup$_ = _sfc_main$_.setup;
_sfc_main$_.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocAside.vue',
  );
  return _sfc_setup$_ ? _sfc_setup$_(props, ctx) : void 0;
};
const VPDocAside = /* @__PURE__ */ _export_sfc(_sfc_main$_, [['__scopeId', 'data-v-cb998dce']]);
function useEditLink() {
  const { theme: theme2, page } = useData();
  return computed(() => {
    const { text = 'Edit this page', pattern = '' } = theme2.value.editLink || {};
    let url;
    if (typeof pattern === 'function') {
      url = pattern(page.value);
    } else {
      url = pattern.replace(/:path/g, page.value.filePath);
    }
    return { url, text };
  });
}
function usePrevNext() {
  const { page, theme: theme2, frontmatter } = useData();
  return computed(() => {
    var _a, _b, _c, _d, _e, _f, _g, _h;
    const sidebar = getSidebar(theme2.value.sidebar, page.value.relativePath);
    const links = getFlatSideBarLinks(sidebar);
    const candidates = uniqBy(links, (link2) => link2.link.replace(/[?#].*$/, ''));
    const index = candidates.findIndex((link2) => {
      return isActive(page.value.relativePath, link2.link);
    });
    const hidePrev =
      (((_a = theme2.value.docFooter) == null ? void 0 : _a.prev) === false && !frontmatter.value.prev) ||
      frontmatter.value.prev === false;
    const hideNext =
      (((_b = theme2.value.docFooter) == null ? void 0 : _b.next) === false && !frontmatter.value.next) ||
      frontmatter.value.next === false;
    return {
      prev: hidePrev
        ? void 0
        : {
            text:
              (typeof frontmatter.value.prev === 'string'
                ? frontmatter.value.prev
                : typeof frontmatter.value.prev === 'object'
                  ? frontmatter.value.prev.text
                  : void 0) ??
              ((_c = candidates[index - 1]) == null ? void 0 : _c.docFooterText) ??
              ((_d = candidates[index - 1]) == null ? void 0 : _d.text),
            link:
              (typeof frontmatter.value.prev === 'object' ? frontmatter.value.prev.link : void 0) ??
              ((_e = candidates[index - 1]) == null ? void 0 : _e.link),
          },
      next: hideNext
        ? void 0
        : {
            text:
              (typeof frontmatter.value.next === 'string'
                ? frontmatter.value.next
                : typeof frontmatter.value.next === 'object'
                  ? frontmatter.value.next.text
                  : void 0) ??
              ((_f = candidates[index + 1]) == null ? void 0 : _f.docFooterText) ??
              ((_g = candidates[index + 1]) == null ? void 0 : _g.text),
            link:
              (typeof frontmatter.value.next === 'object' ? frontmatter.value.next.link : void 0) ??
              ((_h = candidates[index + 1]) == null ? void 0 : _h.link),
          },
    };
  });
}
function uniqBy(array, keyFn) {
  const seen = /* @__PURE__ */ new Set();
  return array.filter((item) => {
    const k = keyFn(item);
    return seen.has(k) ? false : seen.add(k);
  });
}
const _sfc_main$Z = /* @__PURE__ */ defineComponent({
  __name: 'VPLink',
  __ssrInlineRender: true,
  props: {
    tag: {},
    href: {},
    noIcon: { type: Boolean },
    target: {},
    rel: {},
  },
  setup(__props) {
    const props = __props;
    const tag = computed(() => props.tag ?? (props.href ? 'a' : 'span'));
    const isExternal2 = computed(() => (props.href && EXTERNAL_URL_RE.test(props.href)) || props.target === '_blank');
    return (_ctx, _push, _parent, _attrs) => {
      ssrRenderVNode(
        _push,
        createVNode(
          resolveDynamicComponent(tag.value),
          mergeProps(
            {
              class: [
                'VPLink',
                {
                  link: __props.href,
                  'vp-external-link-icon': isExternal2.value,
                  'no-icon': __props.noIcon,
                },
              ],
              href: __props.href ? unref(normalizeLink$1)(__props.href) : void 0,
              target: __props.target ?? (isExternal2.value ? '_blank' : void 0),
              rel: __props.rel ?? (isExternal2.value ? 'noreferrer' : void 0),
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'default', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'default')];
              }
            }),
            _: 3,
          },
        ),
        _parent,
      );
    };
  },
});
const _sfc_setup$Z = _sfc_main$Z.setup;
_sfc_main$Z.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPLink.vue',
  );
  return _sfc_setup$Z ? _sfc_setup$Z(props, ctx) : void 0;
};
const _sfc_main$Y = /* @__PURE__ */ defineComponent({
  __name: 'VPDocFooterLastUpdated',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2, page, lang } = useData();
    const date = computed(() => new Date(page.value.lastUpdated));
    const isoDatetime = computed(() => date.value.toISOString());
    const datetime = ref('');
    onMounted(() => {
      watchEffect(() => {
        var _a, _b, _c;
        datetime.value = new Intl.DateTimeFormat(
          ((_b = (_a = theme2.value.lastUpdated) == null ? void 0 : _a.formatOptions) == null ? void 0 : _b.forceLocale)
            ? lang.value
            : void 0,
          ((_c = theme2.value.lastUpdated) == null ? void 0 : _c.formatOptions) ?? {
            dateStyle: 'short',
            timeStyle: 'short',
          },
        ).format(date.value);
      });
    });
    return (_ctx, _push, _parent, _attrs) => {
      var _a;
      _push(
        `<p${ssrRenderAttrs(mergeProps({ class: 'VPLastUpdated' }, _attrs))} data-v-1bb0c8a8>${ssrInterpolate(((_a = unref(theme2).lastUpdated) == null ? void 0 : _a.text) || unref(theme2).lastUpdatedText || 'Last updated')}: <time${ssrRenderAttr('datetime', isoDatetime.value)} data-v-1bb0c8a8>${ssrInterpolate(datetime.value)}</time></p>`,
      );
    };
  },
});
const _sfc_setup$Y = _sfc_main$Y.setup;
_sfc_main$Y.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocFooterLastUpdated.vue',
  );
  return _sfc_setup$Y ? _sfc_setup$Y(props, ctx) : void 0;
};
const VPDocFooterLastUpdated = /* @__PURE__ */ _export_sfc(_sfc_main$Y, [['__scopeId', 'data-v-1bb0c8a8']]);
const _sfc_main$X = /* @__PURE__ */ defineComponent({
  __name: 'VPDocFooter',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2, page, frontmatter } = useData();
    const editLink = useEditLink();
    const control = usePrevNext();
    const hasEditLink = computed(() => theme2.value.editLink && frontmatter.value.editLink !== false);
    const hasLastUpdated = computed(() => page.value.lastUpdated);
    const showFooter = computed(
      () => hasEditLink.value || hasLastUpdated.value || control.value.prev || control.value.next,
    );
    return (_ctx, _push, _parent, _attrs) => {
      var _a, _b, _c, _d;
      if (showFooter.value) {
        _push(`<footer${ssrRenderAttrs(mergeProps({ class: 'VPDocFooter' }, _attrs))} data-v-1bcd8184>`);
        ssrRenderSlot(_ctx.$slots, 'doc-footer-before', {}, null, _push, _parent);
        if (hasEditLink.value || hasLastUpdated.value) {
          _push(`<div class="edit-info" data-v-1bcd8184>`);
          if (hasEditLink.value) {
            _push(`<div class="edit-link" data-v-1bcd8184>`);
            _push(
              ssrRenderComponent(
                _sfc_main$Z,
                {
                  class: 'edit-link-button',
                  href: unref(editLink).url,
                  'no-icon': true,
                },
                {
                  default: withCtx((_, _push2, _parent2, _scopeId) => {
                    if (_push2) {
                      _push2(
                        `<span class="vpi-square-pen edit-link-icon" data-v-1bcd8184${_scopeId}></span> ${ssrInterpolate(unref(editLink).text)}`,
                      );
                    } else {
                      return [
                        createVNode('span', { class: 'vpi-square-pen edit-link-icon' }),
                        createTextVNode(' ' + toDisplayString(unref(editLink).text), 1),
                      ];
                    }
                  }),
                  _: 1,
                },
                _parent,
              ),
            );
            _push(`</div>`);
          } else {
            _push(`<!---->`);
          }
          if (hasLastUpdated.value) {
            _push(`<div class="last-updated" data-v-1bcd8184>`);
            _push(ssrRenderComponent(VPDocFooterLastUpdated, null, null, _parent));
            _push(`</div>`);
          } else {
            _push(`<!---->`);
          }
          _push(`</div>`);
        } else {
          _push(`<!---->`);
        }
        if (
          ((_a = unref(control).prev) == null ? void 0 : _a.link) ||
          ((_b = unref(control).next) == null ? void 0 : _b.link)
        ) {
          _push(
            `<nav class="prev-next" aria-labelledby="doc-footer-aria-label" data-v-1bcd8184><span class="visually-hidden" id="doc-footer-aria-label" data-v-1bcd8184>Pager</span><div class="pager" data-v-1bcd8184>`,
          );
          if ((_c = unref(control).prev) == null ? void 0 : _c.link) {
            _push(
              ssrRenderComponent(
                _sfc_main$Z,
                {
                  class: 'pager-link prev',
                  href: unref(control).prev.link,
                },
                {
                  default: withCtx((_, _push2, _parent2, _scopeId) => {
                    var _a2, _b2;
                    if (_push2) {
                      _push2(
                        `<span class="desc" data-v-1bcd8184${_scopeId}>${(((_a2 = unref(theme2).docFooter) == null ? void 0 : _a2.prev) || 'Previous page') ?? ''}</span><span class="title" data-v-1bcd8184${_scopeId}>${unref(control).prev.text ?? ''}</span>`,
                      );
                    } else {
                      return [
                        createVNode(
                          'span',
                          {
                            class: 'desc',
                            innerHTML: ((_b2 = unref(theme2).docFooter) == null ? void 0 : _b2.prev) || 'Previous page',
                          },
                          null,
                          8,
                          ['innerHTML'],
                        ),
                        createVNode(
                          'span',
                          {
                            class: 'title',
                            innerHTML: unref(control).prev.text,
                          },
                          null,
                          8,
                          ['innerHTML'],
                        ),
                      ];
                    }
                  }),
                  _: 1,
                },
                _parent,
              ),
            );
          } else {
            _push(`<!---->`);
          }
          _push(`</div><div class="pager" data-v-1bcd8184>`);
          if ((_d = unref(control).next) == null ? void 0 : _d.link) {
            _push(
              ssrRenderComponent(
                _sfc_main$Z,
                {
                  class: 'pager-link next',
                  href: unref(control).next.link,
                },
                {
                  default: withCtx((_, _push2, _parent2, _scopeId) => {
                    var _a2, _b2;
                    if (_push2) {
                      _push2(
                        `<span class="desc" data-v-1bcd8184${_scopeId}>${(((_a2 = unref(theme2).docFooter) == null ? void 0 : _a2.next) || 'Next page') ?? ''}</span><span class="title" data-v-1bcd8184${_scopeId}>${unref(control).next.text ?? ''}</span>`,
                      );
                    } else {
                      return [
                        createVNode(
                          'span',
                          {
                            class: 'desc',
                            innerHTML: ((_b2 = unref(theme2).docFooter) == null ? void 0 : _b2.next) || 'Next page',
                          },
                          null,
                          8,
                          ['innerHTML'],
                        ),
                        createVNode(
                          'span',
                          {
                            class: 'title',
                            innerHTML: unref(control).next.text,
                          },
                          null,
                          8,
                          ['innerHTML'],
                        ),
                      ];
                    }
                  }),
                  _: 1,
                },
                _parent,
              ),
            );
          } else {
            _push(`<!---->`);
          }
          _push(`</div></nav>`);
        } else {
          _push(`<!---->`);
        }
        _push(`</footer>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$X = _sfc_main$X.setup;
_sfc_main$X.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocFooter.vue',
  );
  return _sfc_setup$X ? _sfc_setup$X(props, ctx) : void 0;
};
const VPDocFooter = /* @__PURE__ */ _export_sfc(_sfc_main$X, [['__scopeId', 'data-v-1bcd8184']]);
const _sfc_main$W = /* @__PURE__ */ defineComponent({
  __name: 'VPDoc',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const route = useRoute();
    const { hasSidebar, hasAside, leftAside } = useSidebar();
    const pageName = computed(() => route.path.replace(/[./]+/g, '_').replace(/_html$/, ''));
    return (_ctx, _push, _parent, _attrs) => {
      const _component_Content = resolveComponent('Content');
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPDoc', { 'has-sidebar': unref(hasSidebar), 'has-aside': unref(hasAside) }],
            },
            _attrs,
          ),
        )} data-v-e6f2a212>`,
      );
      ssrRenderSlot(_ctx.$slots, 'doc-top', {}, null, _push, _parent);
      _push(`<div class="container" data-v-e6f2a212>`);
      if (unref(hasAside)) {
        _push(
          `<div class="${ssrRenderClass([{ 'left-aside': unref(leftAside) }, 'aside'])}" data-v-e6f2a212><div class="aside-curtain" data-v-e6f2a212></div><div class="aside-container" data-v-e6f2a212><div class="aside-content" data-v-e6f2a212>`,
        );
        _push(
          ssrRenderComponent(
            VPDocAside,
            null,
            {
              'aside-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-top', {}, void 0, true)];
                }
              }),
              'aside-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-bottom', {}, void 0, true)];
                }
              }),
              'aside-outline-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-outline-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-outline-before', {}, void 0, true)];
                }
              }),
              'aside-outline-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-outline-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-outline-after', {}, void 0, true)];
                }
              }),
              'aside-ads-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-ads-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-ads-before', {}, void 0, true)];
                }
              }),
              'aside-ads-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-ads-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-ads-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
        _push(`</div></div></div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`<div class="content" data-v-e6f2a212><div class="content-container" data-v-e6f2a212>`);
      ssrRenderSlot(_ctx.$slots, 'doc-before', {}, null, _push, _parent);
      _push(`<main class="main" data-v-e6f2a212>`);
      _push(
        ssrRenderComponent(
          _component_Content,
          {
            class: ['vp-doc', [pageName.value, unref(theme2).externalLinkIcon && 'external-link-icon-enabled']],
          },
          null,
          _parent,
        ),
      );
      _push(`</main>`);
      _push(
        ssrRenderComponent(
          VPDocFooter,
          null,
          {
            'doc-footer-before': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'doc-footer-before', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'doc-footer-before', {}, void 0, true)];
              }
            }),
            _: 3,
          },
          _parent,
        ),
      );
      ssrRenderSlot(_ctx.$slots, 'doc-after', {}, null, _push, _parent);
      _push(`</div></div></div>`);
      ssrRenderSlot(_ctx.$slots, 'doc-bottom', {}, null, _push, _parent);
      _push(`</div>`);
    };
  },
});
const _sfc_setup$W = _sfc_main$W.setup;
_sfc_main$W.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDoc.vue',
  );
  return _sfc_setup$W ? _sfc_setup$W(props, ctx) : void 0;
};
const VPDoc = /* @__PURE__ */ _export_sfc(_sfc_main$W, [['__scopeId', 'data-v-e6f2a212']]);
const _sfc_main$V = /* @__PURE__ */ defineComponent({
  __name: 'VPButton',
  __ssrInlineRender: true,
  props: {
    tag: {},
    size: { default: 'medium' },
    theme: { default: 'brand' },
    text: {},
    href: {},
    target: {},
    rel: {},
  },
  setup(__props) {
    const props = __props;
    const isExternal2 = computed(() => props.href && EXTERNAL_URL_RE.test(props.href));
    const component = computed(() => {
      return props.tag || (props.href ? 'a' : 'button');
    });
    return (_ctx, _push, _parent, _attrs) => {
      ssrRenderVNode(
        _push,
        createVNode(
          resolveDynamicComponent(component.value),
          mergeProps(
            {
              class: ['VPButton', [__props.size, __props.theme]],
              href: __props.href ? unref(normalizeLink$1)(__props.href) : void 0,
              target: props.target ?? (isExternal2.value ? '_blank' : void 0),
              rel: props.rel ?? (isExternal2.value ? 'noreferrer' : void 0),
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`${ssrInterpolate(__props.text)}`);
              } else {
                return [createTextVNode(toDisplayString(__props.text), 1)];
              }
            }),
            _: 1,
          },
        ),
        _parent,
      );
    };
  },
});
const _sfc_setup$V = _sfc_main$V.setup;
_sfc_main$V.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPButton.vue',
  );
  return _sfc_setup$V ? _sfc_setup$V(props, ctx) : void 0;
};
const VPButton = /* @__PURE__ */ _export_sfc(_sfc_main$V, [['__scopeId', 'data-v-93dc4167']]);
const _sfc_main$U = /* @__PURE__ */ defineComponent({
  ...{ inheritAttrs: false },
  __name: 'VPImage',
  __ssrInlineRender: true,
  props: {
    image: {},
    alt: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      const _component_VPImage = resolveComponent('VPImage', true);
      if (__props.image) {
        _push(`<!--[-->`);
        if (typeof __props.image === 'string' || 'src' in __props.image) {
          _push(
            `<img${ssrRenderAttrs(
              mergeProps(
                { class: 'VPImage' },
                typeof __props.image === 'string' ? _ctx.$attrs : { ...__props.image, ..._ctx.$attrs },
                {
                  src: unref(withBase)(typeof __props.image === 'string' ? __props.image : __props.image.src),
                  alt: __props.alt ?? (typeof __props.image === 'string' ? '' : __props.image.alt || ''),
                },
              ),
            )} data-v-ab19afbb>`,
          );
        } else {
          _push(`<!--[-->`);
          _push(
            ssrRenderComponent(
              _component_VPImage,
              mergeProps(
                {
                  class: 'dark',
                  image: __props.image.dark,
                  alt: __props.image.alt,
                },
                _ctx.$attrs,
              ),
              null,
              _parent,
            ),
          );
          _push(
            ssrRenderComponent(
              _component_VPImage,
              mergeProps(
                {
                  class: 'light',
                  image: __props.image.light,
                  alt: __props.image.alt,
                },
                _ctx.$attrs,
              ),
              null,
              _parent,
            ),
          );
          _push(`<!--]-->`);
        }
        _push(`<!--]-->`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$U = _sfc_main$U.setup;
_sfc_main$U.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPImage.vue',
  );
  return _sfc_setup$U ? _sfc_setup$U(props, ctx) : void 0;
};
const VPImage = /* @__PURE__ */ _export_sfc(_sfc_main$U, [['__scopeId', 'data-v-ab19afbb']]);
const _sfc_main$T = /* @__PURE__ */ defineComponent({
  __name: 'VPHero',
  __ssrInlineRender: true,
  props: {
    name: {},
    text: {},
    tagline: {},
    image: {},
    actions: {},
  },
  setup(__props) {
    const heroImageSlotExists = inject('hero-image-slot-exists');
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPHero', { 'has-image': __props.image || unref(heroImageSlotExists) }],
            },
            _attrs,
          ),
        )} data-v-dd8814ff><div class="container" data-v-dd8814ff><div class="main" data-v-dd8814ff>`,
      );
      ssrRenderSlot(_ctx.$slots, 'home-hero-info-before', {}, null, _push, _parent);
      ssrRenderSlot(
        _ctx.$slots,
        'home-hero-info',
        {},
        () => {
          _push(`<h1 class="heading" data-v-dd8814ff>`);
          if (__props.name) {
            _push(`<span class="name clip" data-v-dd8814ff>${__props.name ?? ''}</span>`);
          } else {
            _push(`<!---->`);
          }
          if (__props.text) {
            _push(`<span class="text" data-v-dd8814ff>${__props.text ?? ''}</span>`);
          } else {
            _push(`<!---->`);
          }
          _push(`</h1>`);
          if (__props.tagline) {
            _push(`<p class="tagline" data-v-dd8814ff>${__props.tagline ?? ''}</p>`);
          } else {
            _push(`<!---->`);
          }
        },
        _push,
        _parent,
      );
      ssrRenderSlot(_ctx.$slots, 'home-hero-info-after', {}, null, _push, _parent);
      if (__props.actions) {
        _push(`<div class="actions" data-v-dd8814ff><!--[-->`);
        ssrRenderList(__props.actions, (action) => {
          _push(`<div class="action" data-v-dd8814ff>`);
          _push(
            ssrRenderComponent(
              VPButton,
              {
                tag: 'a',
                size: 'medium',
                theme: action.theme,
                text: action.text,
                href: action.link,
                target: action.target,
                rel: action.rel,
              },
              null,
              _parent,
            ),
          );
          _push(`</div>`);
        });
        _push(`<!--]--></div>`);
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot(_ctx.$slots, 'home-hero-actions-after', {}, null, _push, _parent);
      _push(`</div>`);
      if (__props.image || unref(heroImageSlotExists)) {
        _push(
          `<div class="image" data-v-dd8814ff><div class="image-container" data-v-dd8814ff><div class="image-bg" data-v-dd8814ff></div>`,
        );
        ssrRenderSlot(
          _ctx.$slots,
          'home-hero-image',
          {},
          () => {
            if (__props.image) {
              _push(
                ssrRenderComponent(
                  VPImage,
                  {
                    class: 'image-src',
                    image: __props.image,
                  },
                  null,
                  _parent,
                ),
              );
            } else {
              _push(`<!---->`);
            }
          },
          _push,
          _parent,
        );
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div></div>`);
    };
  },
});
const _sfc_setup$T = _sfc_main$T.setup;
_sfc_main$T.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPHero.vue',
  );
  return _sfc_setup$T ? _sfc_setup$T(props, ctx) : void 0;
};
const VPHero = /* @__PURE__ */ _export_sfc(_sfc_main$T, [['__scopeId', 'data-v-dd8814ff']]);
const _sfc_main$S = /* @__PURE__ */ defineComponent({
  __name: 'VPHomeHero',
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter: fm } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(fm).hero) {
        _push(
          ssrRenderComponent(
            VPHero,
            mergeProps(
              {
                class: 'VPHomeHero',
                name: unref(fm).hero.name,
                text: unref(fm).hero.text,
                tagline: unref(fm).hero.tagline,
                image: unref(fm).hero.image,
                actions: unref(fm).hero.actions,
              },
              _attrs,
            ),
            {
              'home-hero-info-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info-before')];
                }
              }),
              'home-hero-info': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info')];
                }
              }),
              'home-hero-info-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info-after')];
                }
              }),
              'home-hero-actions-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-actions-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-actions-after')];
                }
              }),
              'home-hero-image': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-image', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-image')];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$S = _sfc_main$S.setup;
_sfc_main$S.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPHomeHero.vue',
  );
  return _sfc_setup$S ? _sfc_setup$S(props, ctx) : void 0;
};
const _sfc_main$R = /* @__PURE__ */ defineComponent({
  __name: 'VPFeature',
  __ssrInlineRender: true,
  props: {
    icon: {},
    title: {},
    details: {},
    link: {},
    linkText: {},
    rel: {},
    target: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        ssrRenderComponent(
          _sfc_main$Z,
          mergeProps(
            {
              class: 'VPFeature',
              href: __props.link,
              rel: __props.rel,
              target: __props.target,
              'no-icon': true,
              tag: __props.link ? 'a' : 'div',
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`<article class="box" data-v-bd37d1a2${_scopeId}>`);
                if (typeof __props.icon === 'object' && __props.icon.wrap) {
                  _push2(`<div class="icon" data-v-bd37d1a2${_scopeId}>`);
                  _push2(
                    ssrRenderComponent(
                      VPImage,
                      {
                        image: __props.icon,
                        alt: __props.icon.alt,
                        height: __props.icon.height || 48,
                        width: __props.icon.width || 48,
                      },
                      null,
                      _parent2,
                      _scopeId,
                    ),
                  );
                  _push2(`</div>`);
                } else if (typeof __props.icon === 'object') {
                  _push2(
                    ssrRenderComponent(
                      VPImage,
                      {
                        image: __props.icon,
                        alt: __props.icon.alt,
                        height: __props.icon.height || 48,
                        width: __props.icon.width || 48,
                      },
                      null,
                      _parent2,
                      _scopeId,
                    ),
                  );
                } else if (__props.icon) {
                  _push2(`<div class="icon" data-v-bd37d1a2${_scopeId}>${__props.icon ?? ''}</div>`);
                } else {
                  _push2(`<!---->`);
                }
                _push2(`<h2 class="title" data-v-bd37d1a2${_scopeId}>${__props.title ?? ''}</h2>`);
                if (__props.details) {
                  _push2(`<p class="details" data-v-bd37d1a2${_scopeId}>${__props.details ?? ''}</p>`);
                } else {
                  _push2(`<!---->`);
                }
                if (__props.linkText) {
                  _push2(
                    `<div class="link-text" data-v-bd37d1a2${_scopeId}><p class="link-text-value" data-v-bd37d1a2${_scopeId}>${ssrInterpolate(__props.linkText)} <span class="vpi-arrow-right link-text-icon" data-v-bd37d1a2${_scopeId}></span></p></div>`,
                  );
                } else {
                  _push2(`<!---->`);
                }
                _push2(`</article>`);
              } else {
                return [
                  createVNode('article', { class: 'box' }, [
                    typeof __props.icon === 'object' && __props.icon.wrap
                      ? (openBlock(),
                        createBlock(
                          'div',
                          {
                            key: 0,
                            class: 'icon',
                          },
                          [
                            createVNode(
                              VPImage,
                              {
                                image: __props.icon,
                                alt: __props.icon.alt,
                                height: __props.icon.height || 48,
                                width: __props.icon.width || 48,
                              },
                              null,
                              8,
                              ['image', 'alt', 'height', 'width'],
                            ),
                          ],
                        ))
                      : typeof __props.icon === 'object'
                        ? (openBlock(),
                          createBlock(
                            VPImage,
                            {
                              key: 1,
                              image: __props.icon,
                              alt: __props.icon.alt,
                              height: __props.icon.height || 48,
                              width: __props.icon.width || 48,
                            },
                            null,
                            8,
                            ['image', 'alt', 'height', 'width'],
                          ))
                        : __props.icon
                          ? (openBlock(),
                            createBlock(
                              'div',
                              {
                                key: 2,
                                class: 'icon',
                                innerHTML: __props.icon,
                              },
                              null,
                              8,
                              ['innerHTML'],
                            ))
                          : createCommentVNode('', true),
                    createVNode(
                      'h2',
                      {
                        class: 'title',
                        innerHTML: __props.title,
                      },
                      null,
                      8,
                      ['innerHTML'],
                    ),
                    __props.details
                      ? (openBlock(),
                        createBlock(
                          'p',
                          {
                            key: 3,
                            class: 'details',
                            innerHTML: __props.details,
                          },
                          null,
                          8,
                          ['innerHTML'],
                        ))
                      : createCommentVNode('', true),
                    __props.linkText
                      ? (openBlock(),
                        createBlock(
                          'div',
                          {
                            key: 4,
                            class: 'link-text',
                          },
                          [
                            createVNode('p', { class: 'link-text-value' }, [
                              createTextVNode(toDisplayString(__props.linkText) + ' ', 1),
                              createVNode('span', { class: 'vpi-arrow-right link-text-icon' }),
                            ]),
                          ],
                        ))
                      : createCommentVNode('', true),
                  ]),
                ];
              }
            }),
            _: 1,
          },
          _parent,
        ),
      );
    };
  },
});
const _sfc_setup$R = _sfc_main$R.setup;
_sfc_main$R.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPFeature.vue',
  );
  return _sfc_setup$R ? _sfc_setup$R(props, ctx) : void 0;
};
const VPFeature = /* @__PURE__ */ _export_sfc(_sfc_main$R, [['__scopeId', 'data-v-bd37d1a2']]);
const _sfc_main$Q = /* @__PURE__ */ defineComponent({
  __name: 'VPFeatures',
  __ssrInlineRender: true,
  props: {
    features: {},
  },
  setup(__props) {
    const props = __props;
    const grid = computed(() => {
      const length = props.features.length;
      if (!length) {
        return;
      } else if (length === 2) {
        return 'grid-2';
      } else if (length === 3) {
        return 'grid-3';
      } else if (length % 3 === 0) {
        return 'grid-6';
      } else if (length > 3) {
        return 'grid-4';
      }
    });
    return (_ctx, _push, _parent, _attrs) => {
      if (__props.features) {
        _push(
          `<div${ssrRenderAttrs(mergeProps({ class: 'VPFeatures' }, _attrs))} data-v-b1eea84a><div class="container" data-v-b1eea84a><div class="items" data-v-b1eea84a><!--[-->`,
        );
        ssrRenderList(__props.features, (feature) => {
          _push(`<div class="${ssrRenderClass([[grid.value], 'item'])}" data-v-b1eea84a>`);
          _push(
            ssrRenderComponent(
              VPFeature,
              {
                icon: feature.icon,
                title: feature.title,
                details: feature.details,
                link: feature.link,
                'link-text': feature.linkText,
                rel: feature.rel,
                target: feature.target,
              },
              null,
              _parent,
            ),
          );
          _push(`</div>`);
        });
        _push(`<!--]--></div></div></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$Q = _sfc_main$Q.setup;
_sfc_main$Q.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPFeatures.vue',
  );
  return _sfc_setup$Q ? _sfc_setup$Q(props, ctx) : void 0;
};
const VPFeatures = /* @__PURE__ */ _export_sfc(_sfc_main$Q, [['__scopeId', 'data-v-b1eea84a']]);
const _sfc_main$P = /* @__PURE__ */ defineComponent({
  __name: 'VPHomeFeatures',
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter: fm } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(fm).features) {
        _push(
          ssrRenderComponent(
            VPFeatures,
            mergeProps(
              {
                class: 'VPHomeFeatures',
                features: unref(fm).features,
              },
              _attrs,
            ),
            null,
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$P = _sfc_main$P.setup;
_sfc_main$P.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPHomeFeatures.vue',
  );
  return _sfc_setup$P ? _sfc_setup$P(props, ctx) : void 0;
};
const _sfc_main$O = /* @__PURE__ */ defineComponent({
  __name: 'VPHomeContent',
  __ssrInlineRender: true,
  setup(__props) {
    const { width: vw } = useWindowSize({
      initialWidth: 0,
      includeScrollbar: false,
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: 'vp-doc container',
              style: unref(vw) ? { '--vp-offset': `calc(50% - ${unref(vw) / 2}px)` } : {},
            },
            _attrs,
          ),
        )} data-v-c141a4bd>`,
      );
      ssrRenderSlot(_ctx.$slots, 'default', {}, null, _push, _parent);
      _push(`</div>`);
    };
  },
});
const _sfc_setup$O = _sfc_main$O.setup;
_sfc_main$O.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPHomeContent.vue',
  );
  return _sfc_setup$O ? _sfc_setup$O(props, ctx) : void 0;
};
const VPHomeContent = /* @__PURE__ */ _export_sfc(_sfc_main$O, [['__scopeId', 'data-v-c141a4bd']]);
const _sfc_main$N = /* @__PURE__ */ defineComponent({
  __name: 'VPHome',
  __ssrInlineRender: true,
  setup(__props) {
    const { frontmatter, theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      const _component_Content = resolveComponent('Content');
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: [
                'VPHome',
                {
                  'external-link-icon-enabled': unref(theme2).externalLinkIcon,
                },
              ],
            },
            _attrs,
          ),
        )} data-v-e07eaea7>`,
      );
      ssrRenderSlot(_ctx.$slots, 'home-hero-before', {}, null, _push, _parent);
      _push(
        ssrRenderComponent(
          _sfc_main$S,
          null,
          {
            'home-hero-info-before': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'home-hero-info-before', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'home-hero-info-before', {}, void 0, true)];
              }
            }),
            'home-hero-info': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'home-hero-info', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'home-hero-info', {}, void 0, true)];
              }
            }),
            'home-hero-info-after': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'home-hero-info-after', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'home-hero-info-after', {}, void 0, true)];
              }
            }),
            'home-hero-actions-after': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'home-hero-actions-after', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'home-hero-actions-after', {}, void 0, true)];
              }
            }),
            'home-hero-image': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'home-hero-image', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'home-hero-image', {}, void 0, true)];
              }
            }),
            _: 3,
          },
          _parent,
        ),
      );
      ssrRenderSlot(_ctx.$slots, 'home-hero-after', {}, null, _push, _parent);
      ssrRenderSlot(_ctx.$slots, 'home-features-before', {}, null, _push, _parent);
      _push(ssrRenderComponent(_sfc_main$P, null, null, _parent));
      ssrRenderSlot(_ctx.$slots, 'home-features-after', {}, null, _push, _parent);
      if (unref(frontmatter).markdownStyles !== false) {
        _push(
          ssrRenderComponent(
            VPHomeContent,
            null,
            {
              default: withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  _push2(ssrRenderComponent(_component_Content, null, null, _parent2, _scopeId));
                } else {
                  return [createVNode(_component_Content)];
                }
              }),
              _: 1,
            },
            _parent,
          ),
        );
      } else {
        _push(ssrRenderComponent(_component_Content, null, null, _parent));
      }
      _push(`</div>`);
    };
  },
});
const _sfc_setup$N = _sfc_main$N.setup;
_sfc_main$N.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPHome.vue',
  );
  return _sfc_setup$N ? _sfc_setup$N(props, ctx) : void 0;
};
const VPHome = /* @__PURE__ */ _export_sfc(_sfc_main$N, [['__scopeId', 'data-v-e07eaea7']]);
const _sfc_main$M = {};
function _sfc_ssrRender$1(_ctx, _push, _parent, _attrs) {
  const _component_Content = resolveComponent('Content');
  _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPPage' }, _attrs))}>`);
  ssrRenderSlot(_ctx.$slots, 'page-top', {}, null, _push, _parent);
  _push(ssrRenderComponent(_component_Content, null, null, _parent));
  ssrRenderSlot(_ctx.$slots, 'page-bottom', {}, null, _push, _parent);
  _push(`</div>`);
}
const _sfc_setup$M = _sfc_main$M.setup;
_sfc_main$M.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPPage.vue',
  );
  return _sfc_setup$M ? _sfc_setup$M(props, ctx) : void 0;
};
const VPPage = /* @__PURE__ */ _export_sfc(_sfc_main$M, [['ssrRender', _sfc_ssrRender$1]]);
const _sfc_main$L = /* @__PURE__ */ defineComponent({
  __name: 'VPContent',
  __ssrInlineRender: true,
  setup(__props) {
    const { page, frontmatter } = useData();
    const { hasSidebar } = useSidebar();
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: [
                'VPContent',
                {
                  'has-sidebar': unref(hasSidebar),
                  'is-home': unref(frontmatter).layout === 'home',
                },
              ],
              id: 'VPContent',
            },
            _attrs,
          ),
        )} data-v-9a6c75ad>`,
      );
      if (unref(page).isNotFound) {
        ssrRenderSlot(
          _ctx.$slots,
          'not-found',
          {},
          () => {
            _push(ssrRenderComponent(NotFound, null, null, _parent));
          },
          _push,
          _parent,
        );
      } else if (unref(frontmatter).layout === 'page') {
        _push(
          ssrRenderComponent(
            VPPage,
            null,
            {
              'page-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'page-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'page-top', {}, void 0, true)];
                }
              }),
              'page-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'page-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'page-bottom', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
      } else if (unref(frontmatter).layout === 'home') {
        _push(
          ssrRenderComponent(
            VPHome,
            null,
            {
              'home-hero-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-before', {}, void 0, true)];
                }
              }),
              'home-hero-info-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info-before', {}, void 0, true)];
                }
              }),
              'home-hero-info': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info', {}, void 0, true)];
                }
              }),
              'home-hero-info-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info-after', {}, void 0, true)];
                }
              }),
              'home-hero-actions-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-actions-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-actions-after', {}, void 0, true)];
                }
              }),
              'home-hero-image': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-image', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-image', {}, void 0, true)];
                }
              }),
              'home-hero-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-after', {}, void 0, true)];
                }
              }),
              'home-features-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-features-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-features-before', {}, void 0, true)];
                }
              }),
              'home-features-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-features-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-features-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
      } else if (unref(frontmatter).layout && unref(frontmatter).layout !== 'doc') {
        ssrRenderVNode(_push, createVNode(resolveDynamicComponent(unref(frontmatter).layout), null, null), _parent);
      } else {
        _push(
          ssrRenderComponent(
            VPDoc,
            null,
            {
              'doc-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-top', {}, void 0, true)];
                }
              }),
              'doc-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-bottom', {}, void 0, true)];
                }
              }),
              'doc-footer-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-footer-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-footer-before', {}, void 0, true)];
                }
              }),
              'doc-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-before', {}, void 0, true)];
                }
              }),
              'doc-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-after', {}, void 0, true)];
                }
              }),
              'aside-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-top', {}, void 0, true)];
                }
              }),
              'aside-outline-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-outline-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-outline-before', {}, void 0, true)];
                }
              }),
              'aside-outline-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-outline-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-outline-after', {}, void 0, true)];
                }
              }),
              'aside-ads-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-ads-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-ads-before', {}, void 0, true)];
                }
              }),
              'aside-ads-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-ads-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-ads-after', {}, void 0, true)];
                }
              }),
              'aside-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-bottom', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
      }
      _push(`</div>`);
    };
  },
});
const _sfc_setup$L = _sfc_main$L.setup;
_sfc_main$L.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPContent.vue',
  );
  return _sfc_setup$L ? _sfc_setup$L(props, ctx) : void 0;
};
const VPContent = /* @__PURE__ */ _export_sfc(_sfc_main$L, [['__scopeId', 'data-v-9a6c75ad']]);
const _sfc_main$K = /* @__PURE__ */ defineComponent({
  __name: 'VPFooter',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2, frontmatter } = useData();
    const { hasSidebar } = useSidebar();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(theme2).footer && unref(frontmatter).footer !== false) {
        _push(
          `<footer${ssrRenderAttrs(
            mergeProps(
              {
                class: ['VPFooter', { 'has-sidebar': unref(hasSidebar) }],
              },
              _attrs,
            ),
          )} data-v-566314d4><div class="container" data-v-566314d4>`,
        );
        if (unref(theme2).footer.message) {
          _push(`<p class="message" data-v-566314d4>${unref(theme2).footer.message ?? ''}</p>`);
        } else {
          _push(`<!---->`);
        }
        if (unref(theme2).footer.copyright) {
          _push(`<p class="copyright" data-v-566314d4>${unref(theme2).footer.copyright ?? ''}</p>`);
        } else {
          _push(`<!---->`);
        }
        _push(`</div></footer>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$K = _sfc_main$K.setup;
_sfc_main$K.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPFooter.vue',
  );
  return _sfc_setup$K ? _sfc_setup$K(props, ctx) : void 0;
};
const VPFooter = /* @__PURE__ */ _export_sfc(_sfc_main$K, [['__scopeId', 'data-v-566314d4']]);
function useLocalNav() {
  const { theme: theme2, frontmatter } = useData();
  const headers = shallowRef([]);
  const hasLocalNav = computed(() => {
    return headers.value.length > 0;
  });
  onContentUpdated(() => {
    headers.value = getHeaders(frontmatter.value.outline ?? theme2.value.outline);
  });
  return {
    headers,
    hasLocalNav,
  };
}
const _sfc_main$J = /* @__PURE__ */ defineComponent({
  __name: 'VPLocalNavOutlineDropdown',
  __ssrInlineRender: true,
  props: {
    headers: {},
    navHeight: {},
  },
  setup(__props) {
    const { theme: theme2 } = useData();
    const open = ref(false);
    const vh = ref(0);
    const main = ref();
    ref();
    function closeOnClickOutside(e) {
      var _a;
      if (!((_a = main.value) == null ? void 0 : _a.contains(e.target))) {
        open.value = false;
      }
    }
    watch(open, (value) => {
      if (value) {
        document.addEventListener('click', closeOnClickOutside);
        return;
      }
      document.removeEventListener('click', closeOnClickOutside);
    });
    onKeyStroke('Escape', () => {
      open.value = false;
    });
    onContentUpdated(() => {
      open.value = false;
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: 'VPLocalNavOutlineDropdown',
              style: { '--vp-vh': vh.value + 'px' },
              ref_key: 'main',
              ref: main,
            },
            _attrs,
          ),
        )} data-v-6b867909>`,
      );
      if (__props.headers.length > 0) {
        _push(
          `<button class="${ssrRenderClass({ open: open.value })}" data-v-6b867909><span class="menu-text" data-v-6b867909>${ssrInterpolate(unref(resolveTitle)(unref(theme2)))}</span><span class="vpi-chevron-right icon" data-v-6b867909></span></button>`,
        );
      } else {
        _push(`<button data-v-6b867909>${ssrInterpolate(unref(theme2).returnToTopLabel || 'Return to top')}</button>`);
      }
      if (open.value) {
        _push(
          `<div class="items" data-v-6b867909><div class="header" data-v-6b867909><a class="top-link" href="#" data-v-6b867909>${ssrInterpolate(unref(theme2).returnToTopLabel || 'Return to top')}</a></div><div class="outline" data-v-6b867909>`,
        );
        _push(ssrRenderComponent(VPDocOutlineItem, { headers: __props.headers }, null, _parent));
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div>`);
    };
  },
});
const _sfc_setup$J = _sfc_main$J.setup;
_sfc_main$J.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPLocalNavOutlineDropdown.vue',
  );
  return _sfc_setup$J ? _sfc_setup$J(props, ctx) : void 0;
};
const VPLocalNavOutlineDropdown = /* @__PURE__ */ _export_sfc(_sfc_main$J, [['__scopeId', 'data-v-6b867909']]);
const _sfc_main$I = /* @__PURE__ */ defineComponent({
  __name: 'VPLocalNav',
  __ssrInlineRender: true,
  props: {
    open: { type: Boolean },
  },
  emits: ['open-menu'],
  setup(__props) {
    const { theme: theme2, frontmatter } = useData();
    const { hasSidebar } = useSidebar();
    const { headers } = useLocalNav();
    const { y } = useWindowScroll();
    const navHeight = ref(0);
    onMounted(() => {
      navHeight.value = parseInt(getComputedStyle(document.documentElement).getPropertyValue('--vp-nav-height'));
    });
    onContentUpdated(() => {
      headers.value = getHeaders(frontmatter.value.outline ?? theme2.value.outline);
    });
    const empty = computed(() => {
      return headers.value.length === 0;
    });
    const emptyAndNoSidebar = computed(() => {
      return empty.value && !hasSidebar.value;
    });
    const classes = computed(() => {
      return {
        VPLocalNav: true,
        'has-sidebar': hasSidebar.value,
        empty: empty.value,
        fixed: emptyAndNoSidebar.value,
      };
    });
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(frontmatter).layout !== 'home' && (!emptyAndNoSidebar.value || unref(y) >= navHeight.value)) {
        _push(
          `<div${ssrRenderAttrs(mergeProps({ class: classes.value }, _attrs))} data-v-2488c25a><div class="container" data-v-2488c25a>`,
        );
        if (unref(hasSidebar)) {
          _push(
            `<button class="menu"${ssrRenderAttr('aria-expanded', __props.open)} aria-controls="VPSidebarNav" data-v-2488c25a><span class="vpi-align-left menu-icon" data-v-2488c25a></span><span class="menu-text" data-v-2488c25a>${ssrInterpolate(unref(theme2).sidebarMenuLabel || 'Menu')}</span></button>`,
          );
        } else {
          _push(`<!---->`);
        }
        _push(
          ssrRenderComponent(
            VPLocalNavOutlineDropdown,
            {
              headers: unref(headers),
              navHeight: navHeight.value,
            },
            null,
            _parent,
          ),
        );
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$I = _sfc_main$I.setup;
_sfc_main$I.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPLocalNav.vue',
  );
  return _sfc_setup$I ? _sfc_setup$I(props, ctx) : void 0;
};
const VPLocalNav = /* @__PURE__ */ _export_sfc(_sfc_main$I, [['__scopeId', 'data-v-2488c25a']]);
function useNav() {
  const isScreenOpen = ref(false);
  function openScreen() {
    isScreenOpen.value = true;
    window.addEventListener('resize', closeScreenOnTabletWindow);
  }
  function closeScreen() {
    isScreenOpen.value = false;
    window.removeEventListener('resize', closeScreenOnTabletWindow);
  }
  function toggleScreen() {
    isScreenOpen.value ? closeScreen() : openScreen();
  }
  function closeScreenOnTabletWindow() {
    window.outerWidth >= 768 && closeScreen();
  }
  const route = useRoute();
  watch(() => route.path, closeScreen);
  return {
    isScreenOpen,
    openScreen,
    closeScreen,
    toggleScreen,
  };
}
const _sfc_main$H = {};
function _sfc_ssrRender(_ctx, _push, _parent, _attrs) {
  _push(
    `<button${ssrRenderAttrs(
      mergeProps(
        {
          class: 'VPSwitch',
          type: 'button',
          role: 'switch',
        },
        _attrs,
      ),
    )} data-v-b4ccac88><span class="check" data-v-b4ccac88>`,
  );
  if (_ctx.$slots.default) {
    _push(`<span class="icon" data-v-b4ccac88>`);
    ssrRenderSlot(_ctx.$slots, 'default', {}, null, _push, _parent);
    _push(`</span>`);
  } else {
    _push(`<!---->`);
  }
  _push(`</span></button>`);
}
const _sfc_setup$H = _sfc_main$H.setup;
_sfc_main$H.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSwitch.vue',
  );
  return _sfc_setup$H ? _sfc_setup$H(props, ctx) : void 0;
};
const VPSwitch = /* @__PURE__ */ _export_sfc(_sfc_main$H, [
  ['ssrRender', _sfc_ssrRender],
  ['__scopeId', 'data-v-b4ccac88'],
]);
const _sfc_main$G = /* @__PURE__ */ defineComponent({
  __name: 'VPSwitchAppearance',
  __ssrInlineRender: true,
  setup(__props) {
    const { isDark, theme: theme2 } = useData();
    const toggleAppearance = inject('toggle-appearance', () => {
      isDark.value = !isDark.value;
    });
    const switchTitle = ref('');
    watchPostEffect(() => {
      switchTitle.value = isDark.value
        ? theme2.value.lightModeSwitchTitle || 'Switch to light theme'
        : theme2.value.darkModeSwitchTitle || 'Switch to dark theme';
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        ssrRenderComponent(
          VPSwitch,
          mergeProps(
            {
              title: switchTitle.value,
              class: 'VPSwitchAppearance',
              'aria-checked': unref(isDark),
              onClick: unref(toggleAppearance),
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(
                  `<span class="vpi-sun sun" data-v-be9742d9${_scopeId}></span><span class="vpi-moon moon" data-v-be9742d9${_scopeId}></span>`,
                );
              } else {
                return [createVNode('span', { class: 'vpi-sun sun' }), createVNode('span', { class: 'vpi-moon moon' })];
              }
            }),
            _: 1,
          },
          _parent,
        ),
      );
    };
  },
});
const _sfc_setup$G = _sfc_main$G.setup;
_sfc_main$G.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSwitchAppearance.vue',
  );
  return _sfc_setup$G ? _sfc_setup$G(props, ctx) : void 0;
};
const VPSwitchAppearance = /* @__PURE__ */ _export_sfc(_sfc_main$G, [['__scopeId', 'data-v-be9742d9']]);
const _sfc_main$F = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarAppearance',
  __ssrInlineRender: true,
  setup(__props) {
    const { site } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (
        unref(site).appearance &&
        unref(site).appearance !== 'force-dark' &&
        unref(site).appearance !== 'force-auto'
      ) {
        _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPNavBarAppearance' }, _attrs))} data-v-3f90c1a5>`);
        _push(ssrRenderComponent(VPSwitchAppearance, null, null, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$F = _sfc_main$F.setup;
_sfc_main$F.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarAppearance.vue',
  );
  return _sfc_setup$F ? _sfc_setup$F(props, ctx) : void 0;
};
const VPNavBarAppearance = /* @__PURE__ */ _export_sfc(_sfc_main$F, [['__scopeId', 'data-v-3f90c1a5']]);
const focusedElement = ref();
let active = false;
let listeners = 0;
function useFlyout(options) {
  const focus = ref(false);
  if (inBrowser) {
    !active && activateFocusTracking();
    listeners++;
    const unwatch = watch(focusedElement, (el) => {
      var _a, _b, _c;
      if (el === options.el.value || ((_a = options.el.value) == null ? void 0 : _a.contains(el))) {
        focus.value = true;
        (_b = options.onFocus) == null ? void 0 : _b.call(options);
      } else {
        focus.value = false;
        (_c = options.onBlur) == null ? void 0 : _c.call(options);
      }
    });
    onUnmounted(() => {
      unwatch();
      listeners--;
      if (!listeners) {
        deactivateFocusTracking();
      }
    });
  }
  return readonly(focus);
}
function activateFocusTracking() {
  document.addEventListener('focusin', handleFocusIn);
  active = true;
  focusedElement.value = document.activeElement;
}
function deactivateFocusTracking() {
  document.removeEventListener('focusin', handleFocusIn);
}
function handleFocusIn() {
  focusedElement.value = document.activeElement;
}
const _sfc_main$E = /* @__PURE__ */ defineComponent({
  __name: 'VPMenuLink',
  __ssrInlineRender: true,
  props: {
    item: {},
  },
  setup(__props) {
    const { page } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPMenuLink' }, _attrs))} data-v-7eeeb2dc>`);
      _push(
        ssrRenderComponent(
          _sfc_main$Z,
          {
            class: {
              active: unref(isActive)(
                unref(page).relativePath,
                __props.item.activeMatch || __props.item.link,
                !!__props.item.activeMatch,
              ),
            },
            href: __props.item.link,
            target: __props.item.target,
            rel: __props.item.rel,
            'no-icon': __props.item.noIcon,
          },
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`<span data-v-7eeeb2dc${_scopeId}>${__props.item.text ?? ''}</span>`);
              } else {
                return [
                  createVNode(
                    'span',
                    {
                      innerHTML: __props.item.text,
                    },
                    null,
                    8,
                    ['innerHTML'],
                  ),
                ];
              }
            }),
            _: 1,
          },
          _parent,
        ),
      );
      _push(`</div>`);
    };
  },
});
const _sfc_setup$E = _sfc_main$E.setup;
_sfc_main$E.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPMenuLink.vue',
  );
  return _sfc_setup$E ? _sfc_setup$E(props, ctx) : void 0;
};
const VPMenuLink = /* @__PURE__ */ _export_sfc(_sfc_main$E, [['__scopeId', 'data-v-7eeeb2dc']]);
const _sfc_main$D = /* @__PURE__ */ defineComponent({
  __name: 'VPMenuGroup',
  __ssrInlineRender: true,
  props: {
    text: {},
    items: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPMenuGroup' }, _attrs))} data-v-a6b0397c>`);
      if (__props.text) {
        _push(`<p class="title" data-v-a6b0397c>${ssrInterpolate(__props.text)}</p>`);
      } else {
        _push(`<!---->`);
      }
      _push(`<!--[-->`);
      ssrRenderList(__props.items, (item) => {
        _push(`<!--[-->`);
        if ('link' in item) {
          _push(ssrRenderComponent(VPMenuLink, { item }, null, _parent));
        } else {
          _push(`<!---->`);
        }
        _push(`<!--]-->`);
      });
      _push(`<!--]--></div>`);
    };
  },
});
const _sfc_setup$D = _sfc_main$D.setup;
_sfc_main$D.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPMenuGroup.vue',
  );
  return _sfc_setup$D ? _sfc_setup$D(props, ctx) : void 0;
};
const VPMenuGroup = /* @__PURE__ */ _export_sfc(_sfc_main$D, [['__scopeId', 'data-v-a6b0397c']]);
const _sfc_main$C = /* @__PURE__ */ defineComponent({
  __name: 'VPMenu',
  __ssrInlineRender: true,
  props: {
    items: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPMenu' }, _attrs))} data-v-20ed86d6>`);
      if (__props.items) {
        _push(`<div class="items" data-v-20ed86d6><!--[-->`);
        ssrRenderList(__props.items, (item) => {
          _push(`<!--[-->`);
          if ('link' in item) {
            _push(ssrRenderComponent(VPMenuLink, { item }, null, _parent));
          } else if ('component' in item) {
            ssrRenderVNode(
              _push,
              createVNode(resolveDynamicComponent(item.component), mergeProps({ ref_for: true }, item.props), null),
              _parent,
            );
          } else {
            _push(
              ssrRenderComponent(
                VPMenuGroup,
                {
                  text: item.text,
                  items: item.items,
                },
                null,
                _parent,
              ),
            );
          }
          _push(`<!--]-->`);
        });
        _push(`<!--]--></div>`);
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot(_ctx.$slots, 'default', {}, null, _push, _parent);
      _push(`</div>`);
    };
  },
});
const _sfc_setup$C = _sfc_main$C.setup;
_sfc_main$C.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPMenu.vue',
  );
  return _sfc_setup$C ? _sfc_setup$C(props, ctx) : void 0;
};
const VPMenu = /* @__PURE__ */ _export_sfc(_sfc_main$C, [['__scopeId', 'data-v-20ed86d6']]);
const _sfc_main$B = /* @__PURE__ */ defineComponent({
  __name: 'VPFlyout',
  __ssrInlineRender: true,
  props: {
    icon: {},
    button: {},
    label: {},
    items: {},
  },
  setup(__props) {
    const open = ref(false);
    const el = ref();
    useFlyout({ el, onBlur });
    function onBlur() {
      open.value = false;
    }
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: 'VPFlyout',
              ref_key: 'el',
              ref: el,
            },
            _attrs,
          ),
        )} data-v-bfe7971f><button type="button" class="button" aria-haspopup="true"${ssrRenderAttr('aria-expanded', open.value)}${ssrRenderAttr('aria-label', __props.label)} data-v-bfe7971f>`,
      );
      if (__props.button || __props.icon) {
        _push(`<span class="text" data-v-bfe7971f>`);
        if (__props.icon) {
          _push(`<span class="${ssrRenderClass([__props.icon, 'option-icon'])}" data-v-bfe7971f></span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.button) {
          _push(`<span data-v-bfe7971f>${__props.button ?? ''}</span>`);
        } else {
          _push(`<!---->`);
        }
        _push(`<span class="vpi-chevron-down text-icon" data-v-bfe7971f></span></span>`);
      } else {
        _push(`<span class="vpi-more-horizontal icon" data-v-bfe7971f></span>`);
      }
      _push(`</button><div class="menu" data-v-bfe7971f>`);
      _push(
        ssrRenderComponent(
          VPMenu,
          { items: __props.items },
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'default', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'default', {}, void 0, true)];
              }
            }),
            _: 3,
          },
          _parent,
        ),
      );
      _push(`</div></div>`);
    };
  },
});
const _sfc_setup$B = _sfc_main$B.setup;
_sfc_main$B.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPFlyout.vue',
  );
  return _sfc_setup$B ? _sfc_setup$B(props, ctx) : void 0;
};
const VPFlyout = /* @__PURE__ */ _export_sfc(_sfc_main$B, [['__scopeId', 'data-v-bfe7971f']]);
const _sfc_main$A = /* @__PURE__ */ defineComponent({
  __name: 'VPSocialLink',
  __ssrInlineRender: true,
  props: {
    icon: {},
    link: {},
    ariaLabel: {},
  },
  setup(__props) {
    var _a;
    const props = __props;
    const el = ref();
    onMounted(async () => {
      var _a2;
      await nextTick();
      const span = (_a2 = el.value) == null ? void 0 : _a2.children[0];
      if (
        span instanceof HTMLElement &&
        span.className.startsWith('vpi-social-') &&
        (getComputedStyle(span).maskImage || getComputedStyle(span).webkitMaskImage) === 'none'
      ) {
        span.style.setProperty('--icon', `url('https://api.iconify.design/simple-icons/${props.icon}.svg')`);
      }
    });
    const svg = computed(() => {
      if (typeof props.icon === 'object') return props.icon.svg;
      return `<span class="vpi-social-${props.icon}"></span>`;
    });
    {
      typeof props.icon === 'string' && ((_a = useSSRContext()) == null ? void 0 : _a.vpSocialIcons.add(props.icon));
    }
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<a${ssrRenderAttrs(
          mergeProps(
            {
              ref_key: 'el',
              ref: el,
              class: 'VPSocialLink no-icon',
              href: __props.link,
              'aria-label': __props.ariaLabel ?? (typeof __props.icon === 'string' ? __props.icon : ''),
              target: '_blank',
              rel: 'noopener',
            },
            _attrs,
          ),
        )} data-v-60a9a2d3>${svg.value ?? ''}</a>`,
      );
    };
  },
});
const _sfc_setup$A = _sfc_main$A.setup;
_sfc_main$A.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSocialLink.vue',
  );
  return _sfc_setup$A ? _sfc_setup$A(props, ctx) : void 0;
};
const VPSocialLink = /* @__PURE__ */ _export_sfc(_sfc_main$A, [['__scopeId', 'data-v-60a9a2d3']]);
const _sfc_main$z = /* @__PURE__ */ defineComponent({
  __name: 'VPSocialLinks',
  __ssrInlineRender: true,
  props: {
    links: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPSocialLinks' }, _attrs))} data-v-e71e869c><!--[-->`);
      ssrRenderList(__props.links, ({ link: link2, icon, ariaLabel }) => {
        _push(
          ssrRenderComponent(
            VPSocialLink,
            {
              key: link2,
              icon,
              link: link2,
              ariaLabel,
            },
            null,
            _parent,
          ),
        );
      });
      _push(`<!--]--></div>`);
    };
  },
});
const _sfc_setup$z = _sfc_main$z.setup;
_sfc_main$z.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSocialLinks.vue',
  );
  return _sfc_setup$z ? _sfc_setup$z(props, ctx) : void 0;
};
const VPSocialLinks = /* @__PURE__ */ _export_sfc(_sfc_main$z, [['__scopeId', 'data-v-e71e869c']]);
const _sfc_main$y = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarExtra',
  __ssrInlineRender: true,
  setup(__props) {
    const { site, theme: theme2 } = useData();
    const { localeLinks, currentLang } = useLangs({ correspondingLink: true });
    const hasExtraContent = computed(
      () => (localeLinks.value.length && currentLang.value.label) || site.value.appearance || theme2.value.socialLinks,
    );
    return (_ctx, _push, _parent, _attrs) => {
      if (hasExtraContent.value) {
        _push(
          ssrRenderComponent(
            VPFlyout,
            mergeProps(
              {
                class: 'VPNavBarExtra',
                label: 'extra navigation',
              },
              _attrs,
            ),
            {
              default: withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  if (unref(localeLinks).length && unref(currentLang).label) {
                    _push2(
                      `<div class="group translations" data-v-f953d92f${_scopeId}><p class="trans-title" data-v-f953d92f${_scopeId}>${ssrInterpolate(unref(currentLang).label)}</p><!--[-->`,
                    );
                    ssrRenderList(unref(localeLinks), (locale) => {
                      _push2(ssrRenderComponent(VPMenuLink, { item: locale }, null, _parent2, _scopeId));
                    });
                    _push2(`<!--]--></div>`);
                  } else {
                    _push2(`<!---->`);
                  }
                  if (
                    unref(site).appearance &&
                    unref(site).appearance !== 'force-dark' &&
                    unref(site).appearance !== 'force-auto'
                  ) {
                    _push2(
                      `<div class="group" data-v-f953d92f${_scopeId}><div class="item appearance" data-v-f953d92f${_scopeId}><p class="label" data-v-f953d92f${_scopeId}>${ssrInterpolate(unref(theme2).darkModeSwitchLabel || 'Appearance')}</p><div class="appearance-action" data-v-f953d92f${_scopeId}>`,
                    );
                    _push2(ssrRenderComponent(VPSwitchAppearance, null, null, _parent2, _scopeId));
                    _push2(`</div></div></div>`);
                  } else {
                    _push2(`<!---->`);
                  }
                  if (unref(theme2).socialLinks) {
                    _push2(
                      `<div class="group" data-v-f953d92f${_scopeId}><div class="item social-links" data-v-f953d92f${_scopeId}>`,
                    );
                    _push2(
                      ssrRenderComponent(
                        VPSocialLinks,
                        {
                          class: 'social-links-list',
                          links: unref(theme2).socialLinks,
                        },
                        null,
                        _parent2,
                        _scopeId,
                      ),
                    );
                    _push2(`</div></div>`);
                  } else {
                    _push2(`<!---->`);
                  }
                } else {
                  return [
                    unref(localeLinks).length && unref(currentLang).label
                      ? (openBlock(),
                        createBlock(
                          'div',
                          {
                            key: 0,
                            class: 'group translations',
                          },
                          [
                            createVNode('p', { class: 'trans-title' }, toDisplayString(unref(currentLang).label), 1),
                            (openBlock(true),
                            createBlock(
                              Fragment,
                              null,
                              renderList(unref(localeLinks), (locale) => {
                                return (
                                  openBlock(),
                                  createBlock(
                                    VPMenuLink,
                                    {
                                      key: locale.link,
                                      item: locale,
                                    },
                                    null,
                                    8,
                                    ['item'],
                                  )
                                );
                              }),
                              128,
                            )),
                          ],
                        ))
                      : createCommentVNode('', true),
                    unref(site).appearance &&
                    unref(site).appearance !== 'force-dark' &&
                    unref(site).appearance !== 'force-auto'
                      ? (openBlock(),
                        createBlock(
                          'div',
                          {
                            key: 1,
                            class: 'group',
                          },
                          [
                            createVNode('div', { class: 'item appearance' }, [
                              createVNode(
                                'p',
                                { class: 'label' },
                                toDisplayString(unref(theme2).darkModeSwitchLabel || 'Appearance'),
                                1,
                              ),
                              createVNode('div', { class: 'appearance-action' }, [createVNode(VPSwitchAppearance)]),
                            ]),
                          ],
                        ))
                      : createCommentVNode('', true),
                    unref(theme2).socialLinks
                      ? (openBlock(),
                        createBlock(
                          'div',
                          {
                            key: 2,
                            class: 'group',
                          },
                          [
                            createVNode('div', { class: 'item social-links' }, [
                              createVNode(
                                VPSocialLinks,
                                {
                                  class: 'social-links-list',
                                  links: unref(theme2).socialLinks,
                                },
                                null,
                                8,
                                ['links'],
                              ),
                            ]),
                          ],
                        ))
                      : createCommentVNode('', true),
                  ];
                }
              }),
              _: 1,
            },
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$y = _sfc_main$y.setup;
_sfc_main$y.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarExtra.vue',
  );
  return _sfc_setup$y ? _sfc_setup$y(props, ctx) : void 0;
};
const VPNavBarExtra = /* @__PURE__ */ _export_sfc(_sfc_main$y, [['__scopeId', 'data-v-f953d92f']]);
const _sfc_main$x = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarHamburger',
  __ssrInlineRender: true,
  props: {
    active: { type: Boolean },
  },
  emits: ['click'],
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<button${ssrRenderAttrs(
          mergeProps(
            {
              type: 'button',
              class: ['VPNavBarHamburger', { active: __props.active }],
              'aria-label': 'mobile navigation',
              'aria-expanded': __props.active,
              'aria-controls': 'VPNavScreen',
            },
            _attrs,
          ),
        )} data-v-6bee1efd><span class="container" data-v-6bee1efd><span class="top" data-v-6bee1efd></span><span class="middle" data-v-6bee1efd></span><span class="bottom" data-v-6bee1efd></span></span></button>`,
      );
    };
  },
});
const _sfc_setup$x = _sfc_main$x.setup;
_sfc_main$x.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarHamburger.vue',
  );
  return _sfc_setup$x ? _sfc_setup$x(props, ctx) : void 0;
};
const VPNavBarHamburger = /* @__PURE__ */ _export_sfc(_sfc_main$x, [['__scopeId', 'data-v-6bee1efd']]);
const _sfc_main$w = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarMenuLink',
  __ssrInlineRender: true,
  props: {
    item: {},
  },
  setup(__props) {
    const { page } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        ssrRenderComponent(
          _sfc_main$Z,
          mergeProps(
            {
              class: {
                VPNavBarMenuLink: true,
                active: unref(isActive)(
                  unref(page).relativePath,
                  __props.item.activeMatch || __props.item.link,
                  !!__props.item.activeMatch,
                ),
              },
              href: __props.item.link,
              target: __props.item.target,
              rel: __props.item.rel,
              'no-icon': __props.item.noIcon,
              tabindex: '0',
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`<span data-v-815115f5${_scopeId}>${__props.item.text ?? ''}</span>`);
              } else {
                return [
                  createVNode(
                    'span',
                    {
                      innerHTML: __props.item.text,
                    },
                    null,
                    8,
                    ['innerHTML'],
                  ),
                ];
              }
            }),
            _: 1,
          },
          _parent,
        ),
      );
    };
  },
});
const _sfc_setup$w = _sfc_main$w.setup;
_sfc_main$w.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarMenuLink.vue',
  );
  return _sfc_setup$w ? _sfc_setup$w(props, ctx) : void 0;
};
const VPNavBarMenuLink = /* @__PURE__ */ _export_sfc(_sfc_main$w, [['__scopeId', 'data-v-815115f5']]);
const _sfc_main$v = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarMenuGroup',
  __ssrInlineRender: true,
  props: {
    item: {},
  },
  setup(__props) {
    const props = __props;
    const { page } = useData();
    const isChildActive = (navItem) => {
      if ('component' in navItem) return false;
      if ('link' in navItem) {
        return isActive(page.value.relativePath, navItem.link, !!props.item.activeMatch);
      }
      return navItem.items.some(isChildActive);
    };
    const childrenActive = computed(() => isChildActive(props.item));
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        ssrRenderComponent(
          VPFlyout,
          mergeProps(
            {
              class: {
                VPNavBarMenuGroup: true,
                active:
                  unref(isActive)(unref(page).relativePath, __props.item.activeMatch, !!__props.item.activeMatch) ||
                  childrenActive.value,
              },
              button: __props.item.text,
              items: __props.item.items,
            },
            _attrs,
          ),
          null,
          _parent,
        ),
      );
    };
  },
});
const _sfc_setup$v = _sfc_main$v.setup;
_sfc_main$v.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarMenuGroup.vue',
  );
  return _sfc_setup$v ? _sfc_setup$v(props, ctx) : void 0;
};
const _sfc_main$u = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarMenu',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(theme2).nav) {
        _push(
          `<nav${ssrRenderAttrs(
            mergeProps(
              {
                'aria-labelledby': 'main-nav-aria-label',
                class: 'VPNavBarMenu',
              },
              _attrs,
            ),
          )} data-v-afb2845e><span id="main-nav-aria-label" class="visually-hidden" data-v-afb2845e> Main Navigation </span><!--[-->`,
        );
        ssrRenderList(unref(theme2).nav, (item) => {
          _push(`<!--[-->`);
          if ('link' in item) {
            _push(ssrRenderComponent(VPNavBarMenuLink, { item }, null, _parent));
          } else if ('component' in item) {
            ssrRenderVNode(
              _push,
              createVNode(resolveDynamicComponent(item.component), mergeProps({ ref_for: true }, item.props), null),
              _parent,
            );
          } else {
            _push(ssrRenderComponent(_sfc_main$v, { item }, null, _parent));
          }
          _push(`<!--]-->`);
        });
        _push(`<!--]--></nav>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$u = _sfc_main$u.setup;
_sfc_main$u.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarMenu.vue',
  );
  return _sfc_setup$u ? _sfc_setup$u(props, ctx) : void 0;
};
const VPNavBarMenu = /* @__PURE__ */ _export_sfc(_sfc_main$u, [['__scopeId', 'data-v-afb2845e']]);
function createSearchTranslate(defaultTranslations) {
  const { localeIndex, theme: theme2 } = useData();
  function translate(key) {
    var _a, _b, _c;
    const keyPath = key.split('.');
    const themeObject = (_a = theme2.value.search) == null ? void 0 : _a.options;
    const isObject = themeObject && typeof themeObject === 'object';
    const locales =
      (isObject &&
        ((_c = (_b = themeObject.locales) == null ? void 0 : _b[localeIndex.value]) == null
          ? void 0
          : _c.translations)) ||
      null;
    const translations = (isObject && themeObject.translations) || null;
    let localeResult = locales;
    let translationResult = translations;
    let defaultResult = defaultTranslations;
    const lastKey = keyPath.pop();
    for (const k of keyPath) {
      let fallbackResult = null;
      const foundInFallback = defaultResult == null ? void 0 : defaultResult[k];
      if (foundInFallback) {
        fallbackResult = defaultResult = foundInFallback;
      }
      const foundInTranslation = translationResult == null ? void 0 : translationResult[k];
      if (foundInTranslation) {
        fallbackResult = translationResult = foundInTranslation;
      }
      const foundInLocale = localeResult == null ? void 0 : localeResult[k];
      if (foundInLocale) {
        fallbackResult = localeResult = foundInLocale;
      }
      if (!foundInFallback) {
        defaultResult = fallbackResult;
      }
      if (!foundInTranslation) {
        translationResult = fallbackResult;
      }
      if (!foundInLocale) {
        localeResult = fallbackResult;
      }
    }
    return (
      (localeResult == null ? void 0 : localeResult[lastKey]) ??
      (translationResult == null ? void 0 : translationResult[lastKey]) ??
      (defaultResult == null ? void 0 : defaultResult[lastKey]) ??
      ''
    );
  }
  return translate;
}
const _sfc_main$t = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarSearchButton',
  __ssrInlineRender: true,
  setup(__props) {
    const defaultTranslations = {
      button: {
        buttonText: 'Search',
        buttonAriaLabel: 'Search',
      },
    };
    const translate = createSearchTranslate(defaultTranslations);
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<button${ssrRenderAttrs(
          mergeProps(
            {
              type: 'button',
              class: 'DocSearch DocSearch-Button',
              'aria-label': unref(translate)('button.buttonAriaLabel'),
            },
            _attrs,
          ),
        )}><span class="DocSearch-Button-Container"><span class="vp-icon DocSearch-Search-Icon"></span><span class="DocSearch-Button-Placeholder">${ssrInterpolate(unref(translate)('button.buttonText'))}</span></span><span class="DocSearch-Button-Keys"><kbd class="DocSearch-Button-Key"></kbd><kbd class="DocSearch-Button-Key">K</kbd></span></button>`,
      );
    };
  },
});
const _sfc_setup$t = _sfc_main$t.setup;
_sfc_main$t.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarSearchButton.vue',
  );
  return _sfc_setup$t ? _sfc_setup$t(props, ctx) : void 0;
};
const _sfc_main$s = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarSearch',
  __ssrInlineRender: true,
  setup(__props) {
    const VPLocalSearchBox = defineAsyncComponent(() => import('./VPLocalSearchBox.B3Wzuu9m.js'));
    const VPAlgoliaSearchBox = () => null;
    const { theme: theme2 } = useData();
    const loaded = ref(false);
    const actuallyLoaded = ref(false);
    onMounted(() => {
      {
        return;
      }
    });
    function load() {
      if (!loaded.value) {
        loaded.value = true;
        setTimeout(poll, 16);
      }
    }
    function poll() {
      const e = new Event('keydown');
      e.key = 'k';
      e.metaKey = true;
      window.dispatchEvent(e);
      setTimeout(() => {
        if (!document.querySelector('.DocSearch-Modal')) {
          poll();
        }
      }, 16);
    }
    function isEditingContent(event) {
      const element = event.target;
      const tagName = element.tagName;
      return element.isContentEditable || tagName === 'INPUT' || tagName === 'SELECT' || tagName === 'TEXTAREA';
    }
    const showSearch = ref(false);
    {
      onKeyStroke('k', (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          showSearch.value = true;
        }
      });
      onKeyStroke('/', (event) => {
        if (!isEditingContent(event)) {
          event.preventDefault();
          showSearch.value = true;
        }
      });
    }
    const provider = 'local';
    return (_ctx, _push, _parent, _attrs) => {
      var _a;
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPNavBarSearch' }, _attrs))}>`);
      if (unref(provider) === 'local') {
        _push(`<!--[-->`);
        if (showSearch.value) {
          _push(
            ssrRenderComponent(
              unref(VPLocalSearchBox),
              {
                onClose: ($event) => (showSearch.value = false),
              },
              null,
              _parent,
            ),
          );
        } else {
          _push(`<!---->`);
        }
        _push(`<div id="local-search">`);
        _push(
          ssrRenderComponent(
            _sfc_main$t,
            {
              onClick: ($event) => (showSearch.value = true),
            },
            null,
            _parent,
          ),
        );
        _push(`</div><!--]-->`);
      } else if (unref(provider) === 'algolia') {
        _push(`<!--[-->`);
        if (loaded.value) {
          _push(
            ssrRenderComponent(
              unref(VPAlgoliaSearchBox),
              {
                algolia: ((_a = unref(theme2).search) == null ? void 0 : _a.options) ?? unref(theme2).algolia,
                onVnodeBeforeMount: ($event) => (actuallyLoaded.value = true),
              },
              null,
              _parent,
            ),
          );
        } else {
          _push(`<!---->`);
        }
        if (!actuallyLoaded.value) {
          _push(`<div id="docsearch">`);
          _push(ssrRenderComponent(_sfc_main$t, { onClick: load }, null, _parent));
          _push(`</div>`);
        } else {
          _push(`<!---->`);
        }
        _push(`<!--]-->`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div>`);
    };
  },
});
const _sfc_setup$s = _sfc_main$s.setup;
_sfc_main$s.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarSearch.vue',
  );
  return _sfc_setup$s ? _sfc_setup$s(props, ctx) : void 0;
};
const _sfc_main$r = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarSocialLinks',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(theme2).socialLinks) {
        _push(
          ssrRenderComponent(
            VPSocialLinks,
            mergeProps(
              {
                class: 'VPNavBarSocialLinks',
                links: unref(theme2).socialLinks,
              },
              _attrs,
            ),
            null,
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$r = _sfc_main$r.setup;
_sfc_main$r.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarSocialLinks.vue',
  );
  return _sfc_setup$r ? _sfc_setup$r(props, ctx) : void 0;
};
const VPNavBarSocialLinks = /* @__PURE__ */ _export_sfc(_sfc_main$r, [['__scopeId', 'data-v-ef6192dc']]);
const _sfc_main$q = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarTitle',
  __ssrInlineRender: true,
  setup(__props) {
    const { site, theme: theme2 } = useData();
    const { hasSidebar } = useSidebar();
    const { currentLang } = useLangs();
    const link2 = computed(() => {
      var _a;
      return typeof theme2.value.logoLink === 'string'
        ? theme2.value.logoLink
        : (_a = theme2.value.logoLink) == null
          ? void 0
          : _a.link;
    });
    const rel = computed(() => {
      var _a;
      return typeof theme2.value.logoLink === 'string'
        ? void 0
        : (_a = theme2.value.logoLink) == null
          ? void 0
          : _a.rel;
    });
    const target = computed(() => {
      var _a;
      return typeof theme2.value.logoLink === 'string'
        ? void 0
        : (_a = theme2.value.logoLink) == null
          ? void 0
          : _a.target;
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPNavBarTitle', { 'has-sidebar': unref(hasSidebar) }],
            },
            _attrs,
          ),
        )} data-v-9f43907a><a class="title"${ssrRenderAttr('href', link2.value ?? unref(normalizeLink$1)(unref(currentLang).link))}${ssrRenderAttr('rel', rel.value)}${ssrRenderAttr('target', target.value)} data-v-9f43907a>`,
      );
      ssrRenderSlot(_ctx.$slots, 'nav-bar-title-before', {}, null, _push, _parent);
      if (unref(theme2).logo) {
        _push(
          ssrRenderComponent(
            VPImage,
            {
              class: 'logo',
              image: unref(theme2).logo,
            },
            null,
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
      if (unref(theme2).siteTitle) {
        _push(`<span data-v-9f43907a>${unref(theme2).siteTitle ?? ''}</span>`);
      } else if (unref(theme2).siteTitle === void 0) {
        _push(`<span data-v-9f43907a>${ssrInterpolate(unref(site).title)}</span>`);
      } else {
        _push(`<!---->`);
      }
      ssrRenderSlot(_ctx.$slots, 'nav-bar-title-after', {}, null, _push, _parent);
      _push(`</a></div>`);
    };
  },
});
const _sfc_setup$q = _sfc_main$q.setup;
_sfc_main$q.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarTitle.vue',
  );
  return _sfc_setup$q ? _sfc_setup$q(props, ctx) : void 0;
};
const VPNavBarTitle = /* @__PURE__ */ _export_sfc(_sfc_main$q, [['__scopeId', 'data-v-9f43907a']]);
const _sfc_main$p = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBarTranslations',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const { localeLinks, currentLang } = useLangs({ correspondingLink: true });
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(localeLinks).length && unref(currentLang).label) {
        _push(
          ssrRenderComponent(
            VPFlyout,
            mergeProps(
              {
                class: 'VPNavBarTranslations',
                icon: 'vpi-languages',
                label: unref(theme2).langMenuLabel || 'Change language',
              },
              _attrs,
            ),
            {
              default: withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  _push2(
                    `<div class="items" data-v-acee064b${_scopeId}><p class="title" data-v-acee064b${_scopeId}>${ssrInterpolate(unref(currentLang).label)}</p><!--[-->`,
                  );
                  ssrRenderList(unref(localeLinks), (locale) => {
                    _push2(ssrRenderComponent(VPMenuLink, { item: locale }, null, _parent2, _scopeId));
                  });
                  _push2(`<!--]--></div>`);
                } else {
                  return [
                    createVNode('div', { class: 'items' }, [
                      createVNode('p', { class: 'title' }, toDisplayString(unref(currentLang).label), 1),
                      (openBlock(true),
                      createBlock(
                        Fragment,
                        null,
                        renderList(unref(localeLinks), (locale) => {
                          return (
                            openBlock(),
                            createBlock(
                              VPMenuLink,
                              {
                                key: locale.link,
                                item: locale,
                              },
                              null,
                              8,
                              ['item'],
                            )
                          );
                        }),
                        128,
                      )),
                    ]),
                  ];
                }
              }),
              _: 1,
            },
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$p = _sfc_main$p.setup;
_sfc_main$p.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBarTranslations.vue',
  );
  return _sfc_setup$p ? _sfc_setup$p(props, ctx) : void 0;
};
const VPNavBarTranslations = /* @__PURE__ */ _export_sfc(_sfc_main$p, [['__scopeId', 'data-v-acee064b']]);
const _sfc_main$o = /* @__PURE__ */ defineComponent({
  __name: 'VPNavBar',
  __ssrInlineRender: true,
  props: {
    isScreenOpen: { type: Boolean },
  },
  emits: ['toggle-screen'],
  setup(__props) {
    const props = __props;
    const { y } = useWindowScroll();
    const { hasSidebar } = useSidebar();
    const { frontmatter } = useData();
    const classes = ref({});
    watchPostEffect(() => {
      classes.value = {
        'has-sidebar': hasSidebar.value,
        home: frontmatter.value.layout === 'home',
        top: y.value === 0,
        'screen-open': props.isScreenOpen,
      };
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPNavBar', classes.value],
            },
            _attrs,
          ),
        )} data-v-9fd4d1dd><div class="wrapper" data-v-9fd4d1dd><div class="container" data-v-9fd4d1dd><div class="title" data-v-9fd4d1dd>`,
      );
      _push(
        ssrRenderComponent(
          VPNavBarTitle,
          null,
          {
            'nav-bar-title-before': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'nav-bar-title-before', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'nav-bar-title-before', {}, void 0, true)];
              }
            }),
            'nav-bar-title-after': withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                ssrRenderSlot(_ctx.$slots, 'nav-bar-title-after', {}, null, _push2, _parent2, _scopeId);
              } else {
                return [renderSlot(_ctx.$slots, 'nav-bar-title-after', {}, void 0, true)];
              }
            }),
            _: 3,
          },
          _parent,
        ),
      );
      _push(`</div><div class="content" data-v-9fd4d1dd><div class="content-body" data-v-9fd4d1dd>`);
      ssrRenderSlot(_ctx.$slots, 'nav-bar-content-before', {}, null, _push, _parent);
      _push(ssrRenderComponent(_sfc_main$s, { class: 'search' }, null, _parent));
      _push(ssrRenderComponent(VPNavBarMenu, { class: 'menu' }, null, _parent));
      _push(ssrRenderComponent(VPNavBarTranslations, { class: 'translations' }, null, _parent));
      _push(ssrRenderComponent(VPNavBarAppearance, { class: 'appearance' }, null, _parent));
      _push(ssrRenderComponent(VPNavBarSocialLinks, { class: 'social-links' }, null, _parent));
      _push(ssrRenderComponent(VPNavBarExtra, { class: 'extra' }, null, _parent));
      ssrRenderSlot(_ctx.$slots, 'nav-bar-content-after', {}, null, _push, _parent);
      _push(
        ssrRenderComponent(
          VPNavBarHamburger,
          {
            class: 'hamburger',
            active: __props.isScreenOpen,
            onClick: ($event) => _ctx.$emit('toggle-screen'),
          },
          null,
          _parent,
        ),
      );
      _push(
        `</div></div></div></div><div class="divider" data-v-9fd4d1dd><div class="divider-line" data-v-9fd4d1dd></div></div></div>`,
      );
    };
  },
});
const _sfc_setup$o = _sfc_main$o.setup;
_sfc_main$o.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavBar.vue',
  );
  return _sfc_setup$o ? _sfc_setup$o(props, ctx) : void 0;
};
const VPNavBar = /* @__PURE__ */ _export_sfc(_sfc_main$o, [['__scopeId', 'data-v-9fd4d1dd']]);
const _sfc_main$n = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenAppearance',
  __ssrInlineRender: true,
  setup(__props) {
    const { site, theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (
        unref(site).appearance &&
        unref(site).appearance !== 'force-dark' &&
        unref(site).appearance !== 'force-auto'
      ) {
        _push(
          `<div${ssrRenderAttrs(mergeProps({ class: 'VPNavScreenAppearance' }, _attrs))} data-v-a3e2920d><p class="text" data-v-a3e2920d>${ssrInterpolate(unref(theme2).darkModeSwitchLabel || 'Appearance')}</p>`,
        );
        _push(ssrRenderComponent(VPSwitchAppearance, null, null, _parent));
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$n = _sfc_main$n.setup;
_sfc_main$n.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenAppearance.vue',
  );
  return _sfc_setup$n ? _sfc_setup$n(props, ctx) : void 0;
};
const VPNavScreenAppearance = /* @__PURE__ */ _export_sfc(_sfc_main$n, [['__scopeId', 'data-v-a3e2920d']]);
const _sfc_main$m = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenMenuLink',
  __ssrInlineRender: true,
  props: {
    item: {},
  },
  setup(__props) {
    const closeScreen = inject('close-screen');
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        ssrRenderComponent(
          _sfc_main$Z,
          mergeProps(
            {
              class: 'VPNavScreenMenuLink',
              href: __props.item.link,
              target: __props.item.target,
              rel: __props.item.rel,
              'no-icon': __props.item.noIcon,
              onClick: unref(closeScreen),
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`<span data-v-fa963d97${_scopeId}>${__props.item.text ?? ''}</span>`);
              } else {
                return [
                  createVNode(
                    'span',
                    {
                      innerHTML: __props.item.text,
                    },
                    null,
                    8,
                    ['innerHTML'],
                  ),
                ];
              }
            }),
            _: 1,
          },
          _parent,
        ),
      );
    };
  },
});
const _sfc_setup$m = _sfc_main$m.setup;
_sfc_main$m.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuLink.vue',
  );
  return _sfc_setup$m ? _sfc_setup$m(props, ctx) : void 0;
};
const VPNavScreenMenuLink = /* @__PURE__ */ _export_sfc(_sfc_main$m, [['__scopeId', 'data-v-fa963d97']]);
const _sfc_main$l = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenMenuGroupLink',
  __ssrInlineRender: true,
  props: {
    item: {},
  },
  setup(__props) {
    const closeScreen = inject('close-screen');
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        ssrRenderComponent(
          _sfc_main$Z,
          mergeProps(
            {
              class: 'VPNavScreenMenuGroupLink',
              href: __props.item.link,
              target: __props.item.target,
              rel: __props.item.rel,
              'no-icon': __props.item.noIcon,
              onClick: unref(closeScreen),
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                _push2(`<span data-v-e04f3e85${_scopeId}>${__props.item.text ?? ''}</span>`);
              } else {
                return [
                  createVNode(
                    'span',
                    {
                      innerHTML: __props.item.text,
                    },
                    null,
                    8,
                    ['innerHTML'],
                  ),
                ];
              }
            }),
            _: 1,
          },
          _parent,
        ),
      );
    };
  },
});
const _sfc_setup$l = _sfc_main$l.setup;
_sfc_main$l.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuGroupLink.vue',
  );
  return _sfc_setup$l ? _sfc_setup$l(props, ctx) : void 0;
};
const VPNavScreenMenuGroupLink = /* @__PURE__ */ _export_sfc(_sfc_main$l, [['__scopeId', 'data-v-e04f3e85']]);
const _sfc_main$k = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenMenuGroupSection',
  __ssrInlineRender: true,
  props: {
    text: {},
    items: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPNavScreenMenuGroupSection' }, _attrs))} data-v-f60dbfa7>`);
      if (__props.text) {
        _push(`<p class="title" data-v-f60dbfa7>${ssrInterpolate(__props.text)}</p>`);
      } else {
        _push(`<!---->`);
      }
      _push(`<!--[-->`);
      ssrRenderList(__props.items, (item) => {
        _push(
          ssrRenderComponent(
            VPNavScreenMenuGroupLink,
            {
              key: item.text,
              item,
            },
            null,
            _parent,
          ),
        );
      });
      _push(`<!--]--></div>`);
    };
  },
});
const _sfc_setup$k = _sfc_main$k.setup;
_sfc_main$k.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuGroupSection.vue',
  );
  return _sfc_setup$k ? _sfc_setup$k(props, ctx) : void 0;
};
const VPNavScreenMenuGroupSection = /* @__PURE__ */ _export_sfc(_sfc_main$k, [['__scopeId', 'data-v-f60dbfa7']]);
const _sfc_main$j = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenMenuGroup',
  __ssrInlineRender: true,
  props: {
    text: {},
    items: {},
  },
  setup(__props) {
    const props = __props;
    const isOpen = ref(false);
    const groupId = computed(() => `NavScreenGroup-${props.text.replace(' ', '-').toLowerCase()}`);
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPNavScreenMenuGroup', { open: isOpen.value }],
            },
            _attrs,
          ),
        )} data-v-d99bfeec><button class="button"${ssrRenderAttr('aria-controls', groupId.value)}${ssrRenderAttr('aria-expanded', isOpen.value)} data-v-d99bfeec><span class="button-text" data-v-d99bfeec>${__props.text ?? ''}</span><span class="vpi-plus button-icon" data-v-d99bfeec></span></button><div${ssrRenderAttr('id', groupId.value)} class="items" data-v-d99bfeec><!--[-->`,
      );
      ssrRenderList(__props.items, (item) => {
        _push(`<!--[-->`);
        if ('link' in item) {
          _push(`<div class="item" data-v-d99bfeec>`);
          _push(ssrRenderComponent(VPNavScreenMenuGroupLink, { item }, null, _parent));
          _push(`</div>`);
        } else if ('component' in item) {
          _push(`<div class="item" data-v-d99bfeec>`);
          ssrRenderVNode(
            _push,
            createVNode(
              resolveDynamicComponent(item.component),
              mergeProps({ ref_for: true }, item.props, { 'screen-menu': '' }),
              null,
            ),
            _parent,
          );
          _push(`</div>`);
        } else {
          _push(`<div class="group" data-v-d99bfeec>`);
          _push(
            ssrRenderComponent(
              VPNavScreenMenuGroupSection,
              {
                text: item.text,
                items: item.items,
              },
              null,
              _parent,
            ),
          );
          _push(`</div>`);
        }
        _push(`<!--]-->`);
      });
      _push(`<!--]--></div></div>`);
    };
  },
});
const _sfc_setup$j = _sfc_main$j.setup;
_sfc_main$j.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenuGroup.vue',
  );
  return _sfc_setup$j ? _sfc_setup$j(props, ctx) : void 0;
};
const VPNavScreenMenuGroup = /* @__PURE__ */ _export_sfc(_sfc_main$j, [['__scopeId', 'data-v-d99bfeec']]);
const _sfc_main$i = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenMenu',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(theme2).nav) {
        _push(`<nav${ssrRenderAttrs(mergeProps({ class: 'VPNavScreenMenu' }, _attrs))}><!--[-->`);
        ssrRenderList(unref(theme2).nav, (item) => {
          _push(`<!--[-->`);
          if ('link' in item) {
            _push(ssrRenderComponent(VPNavScreenMenuLink, { item }, null, _parent));
          } else if ('component' in item) {
            ssrRenderVNode(
              _push,
              createVNode(
                resolveDynamicComponent(item.component),
                mergeProps({ ref_for: true }, item.props, { 'screen-menu': '' }),
                null,
              ),
              _parent,
            );
          } else {
            _push(
              ssrRenderComponent(
                VPNavScreenMenuGroup,
                {
                  text: item.text || '',
                  items: item.items,
                },
                null,
                _parent,
              ),
            );
          }
          _push(`<!--]-->`);
        });
        _push(`<!--]--></nav>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$i = _sfc_main$i.setup;
_sfc_main$i.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenMenu.vue',
  );
  return _sfc_setup$i ? _sfc_setup$i(props, ctx) : void 0;
};
const _sfc_main$h = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenSocialLinks',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(theme2).socialLinks) {
        _push(
          ssrRenderComponent(
            VPSocialLinks,
            mergeProps(
              {
                class: 'VPNavScreenSocialLinks',
                links: unref(theme2).socialLinks,
              },
              _attrs,
            ),
            null,
            _parent,
          ),
        );
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$h = _sfc_main$h.setup;
_sfc_main$h.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenSocialLinks.vue',
  );
  return _sfc_setup$h ? _sfc_setup$h(props, ctx) : void 0;
};
const _sfc_main$g = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreenTranslations',
  __ssrInlineRender: true,
  setup(__props) {
    const { localeLinks, currentLang } = useLangs({ correspondingLink: true });
    const isOpen = ref(false);
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(localeLinks).length && unref(currentLang).label) {
        _push(
          `<div${ssrRenderAttrs(
            mergeProps(
              {
                class: ['VPNavScreenTranslations', { open: isOpen.value }],
              },
              _attrs,
            ),
          )} data-v-516e4bc3><button class="title" data-v-516e4bc3><span class="vpi-languages icon lang" data-v-516e4bc3></span> ${ssrInterpolate(unref(currentLang).label)} <span class="vpi-chevron-down icon chevron" data-v-516e4bc3></span></button><ul class="list" data-v-516e4bc3><!--[-->`,
        );
        ssrRenderList(unref(localeLinks), (locale) => {
          _push(`<li class="item" data-v-516e4bc3>`);
          _push(
            ssrRenderComponent(
              _sfc_main$Z,
              {
                class: 'link',
                href: locale.link,
              },
              {
                default: withCtx((_, _push2, _parent2, _scopeId) => {
                  if (_push2) {
                    _push2(`${ssrInterpolate(locale.text)}`);
                  } else {
                    return [createTextVNode(toDisplayString(locale.text), 1)];
                  }
                }),
                _: 2,
              },
              _parent,
            ),
          );
          _push(`</li>`);
        });
        _push(`<!--]--></ul></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$g = _sfc_main$g.setup;
_sfc_main$g.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreenTranslations.vue',
  );
  return _sfc_setup$g ? _sfc_setup$g(props, ctx) : void 0;
};
const VPNavScreenTranslations = /* @__PURE__ */ _export_sfc(_sfc_main$g, [['__scopeId', 'data-v-516e4bc3']]);
const _sfc_main$f = /* @__PURE__ */ defineComponent({
  __name: 'VPNavScreen',
  __ssrInlineRender: true,
  props: {
    open: { type: Boolean },
  },
  setup(__props) {
    const screen = ref(null);
    useScrollLock(inBrowser ? document.body : null);
    return (_ctx, _push, _parent, _attrs) => {
      if (__props.open) {
        _push(
          `<div${ssrRenderAttrs(
            mergeProps(
              {
                class: 'VPNavScreen',
                ref_key: 'screen',
                ref: screen,
                id: 'VPNavScreen',
              },
              _attrs,
            ),
          )} data-v-2dd6d0c7><div class="container" data-v-2dd6d0c7>`,
        );
        ssrRenderSlot(_ctx.$slots, 'nav-screen-content-before', {}, null, _push, _parent);
        _push(ssrRenderComponent(_sfc_main$i, { class: 'menu' }, null, _parent));
        _push(ssrRenderComponent(VPNavScreenTranslations, { class: 'translations' }, null, _parent));
        _push(ssrRenderComponent(VPNavScreenAppearance, { class: 'appearance' }, null, _parent));
        _push(ssrRenderComponent(_sfc_main$h, { class: 'social-links' }, null, _parent));
        ssrRenderSlot(_ctx.$slots, 'nav-screen-content-after', {}, null, _push, _parent);
        _push(`</div></div>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$f = _sfc_main$f.setup;
_sfc_main$f.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNavScreen.vue',
  );
  return _sfc_setup$f ? _sfc_setup$f(props, ctx) : void 0;
};
const VPNavScreen = /* @__PURE__ */ _export_sfc(_sfc_main$f, [['__scopeId', 'data-v-2dd6d0c7']]);
const _sfc_main$e = /* @__PURE__ */ defineComponent({
  __name: 'VPNav',
  __ssrInlineRender: true,
  setup(__props) {
    const { isScreenOpen, closeScreen, toggleScreen } = useNav();
    const { frontmatter } = useData();
    const hasNavbar = computed(() => {
      return frontmatter.value.navbar !== false;
    });
    provide('close-screen', closeScreen);
    watchEffect(() => {
      if (inBrowser) {
        document.documentElement.classList.toggle('hide-nav', !hasNavbar.value);
      }
    });
    return (_ctx, _push, _parent, _attrs) => {
      if (hasNavbar.value) {
        _push(`<header${ssrRenderAttrs(mergeProps({ class: 'VPNav' }, _attrs))} data-v-7ad780c2>`);
        _push(
          ssrRenderComponent(
            VPNavBar,
            {
              'is-screen-open': unref(isScreenOpen),
              onToggleScreen: unref(toggleScreen),
            },
            {
              'nav-bar-title-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-title-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-title-before', {}, void 0, true)];
                }
              }),
              'nav-bar-title-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-title-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-title-after', {}, void 0, true)];
                }
              }),
              'nav-bar-content-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-content-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-content-before', {}, void 0, true)];
                }
              }),
              'nav-bar-content-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-content-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-content-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
        _push(
          ssrRenderComponent(
            VPNavScreen,
            { open: unref(isScreenOpen) },
            {
              'nav-screen-content-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-screen-content-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-screen-content-before', {}, void 0, true)];
                }
              }),
              'nav-screen-content-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-screen-content-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-screen-content-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
        _push(`</header>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$e = _sfc_main$e.setup;
_sfc_main$e.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPNav.vue',
  );
  return _sfc_setup$e ? _sfc_setup$e(props, ctx) : void 0;
};
const VPNav = /* @__PURE__ */ _export_sfc(_sfc_main$e, [['__scopeId', 'data-v-7ad780c2']]);
const _sfc_main$d = /* @__PURE__ */ defineComponent({
  __name: 'VPSidebarItem',
  __ssrInlineRender: true,
  props: {
    item: {},
    depth: {},
  },
  setup(__props) {
    const props = __props;
    const {
      collapsed,
      collapsible,
      isLink,
      isActiveLink,
      hasActiveLink: hasActiveLink2,
      hasChildren,
      toggle,
    } = useSidebarControl(computed(() => props.item));
    const sectionTag = computed(() => (hasChildren.value ? 'section' : `div`));
    const linkTag = computed(() => (isLink.value ? 'a' : 'div'));
    const textTag = computed(() => {
      return !hasChildren.value ? 'p' : props.depth + 2 === 7 ? 'p' : `h${props.depth + 2}`;
    });
    const itemRole = computed(() => (isLink.value ? void 0 : 'button'));
    const classes = computed(() => [
      [`level-${props.depth}`],
      { collapsible: collapsible.value },
      { collapsed: collapsed.value },
      { 'is-link': isLink.value },
      { 'is-active': isActiveLink.value },
      { 'has-active': hasActiveLink2.value },
    ]);
    function onItemInteraction(e) {
      if ('key' in e && e.key !== 'Enter') {
        return;
      }
      !props.item.link && toggle();
    }
    function onCaretClick() {
      props.item.link && toggle();
    }
    return (_ctx, _push, _parent, _attrs) => {
      const _component_VPSidebarItem = resolveComponent('VPSidebarItem', true);
      ssrRenderVNode(
        _push,
        createVNode(
          resolveDynamicComponent(sectionTag.value),
          mergeProps(
            {
              class: ['VPSidebarItem', classes.value],
            },
            _attrs,
          ),
          {
            default: withCtx((_, _push2, _parent2, _scopeId) => {
              if (_push2) {
                if (__props.item.text) {
                  _push2(
                    `<div class="item"${ssrRenderAttr('role', itemRole.value)}${ssrRenderAttr('tabindex', __props.item.items && 0)} data-v-0009425e${_scopeId}><div class="indicator" data-v-0009425e${_scopeId}></div>`,
                  );
                  if (__props.item.link) {
                    _push2(
                      ssrRenderComponent(
                        _sfc_main$Z,
                        {
                          tag: linkTag.value,
                          class: 'link',
                          href: __props.item.link,
                          rel: __props.item.rel,
                          target: __props.item.target,
                        },
                        {
                          default: withCtx((_2, _push3, _parent3, _scopeId2) => {
                            if (_push3) {
                              ssrRenderVNode(
                                _push3,
                                createVNode(resolveDynamicComponent(textTag.value), { class: 'text' }, null),
                                _parent3,
                                _scopeId2,
                              );
                            } else {
                              return [
                                (openBlock(),
                                createBlock(
                                  resolveDynamicComponent(textTag.value),
                                  {
                                    class: 'text',
                                    innerHTML: __props.item.text,
                                  },
                                  null,
                                  8,
                                  ['innerHTML'],
                                )),
                              ];
                            }
                          }),
                          _: 1,
                        },
                        _parent2,
                        _scopeId,
                      ),
                    );
                  } else {
                    ssrRenderVNode(
                      _push2,
                      createVNode(resolveDynamicComponent(textTag.value), { class: 'text' }, null),
                      _parent2,
                      _scopeId,
                    );
                  }
                  if (__props.item.collapsed != null && __props.item.items && __props.item.items.length) {
                    _push2(
                      `<div class="caret" role="button" aria-label="toggle section" tabindex="0" data-v-0009425e${_scopeId}><span class="vpi-chevron-right caret-icon" data-v-0009425e${_scopeId}></span></div>`,
                    );
                  } else {
                    _push2(`<!---->`);
                  }
                  _push2(`</div>`);
                } else {
                  _push2(`<!---->`);
                }
                if (__props.item.items && __props.item.items.length) {
                  _push2(`<div class="items" data-v-0009425e${_scopeId}>`);
                  if (__props.depth < 5) {
                    _push2(`<!--[-->`);
                    ssrRenderList(__props.item.items, (i) => {
                      _push2(
                        ssrRenderComponent(
                          _component_VPSidebarItem,
                          {
                            key: i.text,
                            item: i,
                            depth: __props.depth + 1,
                          },
                          null,
                          _parent2,
                          _scopeId,
                        ),
                      );
                    });
                    _push2(`<!--]-->`);
                  } else {
                    _push2(`<!---->`);
                  }
                  _push2(`</div>`);
                } else {
                  _push2(`<!---->`);
                }
              } else {
                return [
                  __props.item.text
                    ? (openBlock(),
                      createBlock(
                        'div',
                        mergeProps(
                          {
                            key: 0,
                            class: 'item',
                            role: itemRole.value,
                          },
                          toHandlers(
                            __props.item.items ? { click: onItemInteraction, keydown: onItemInteraction } : {},
                            true,
                          ),
                          {
                            tabindex: __props.item.items && 0,
                          },
                        ),
                        [
                          createVNode('div', { class: 'indicator' }),
                          __props.item.link
                            ? (openBlock(),
                              createBlock(
                                _sfc_main$Z,
                                {
                                  key: 0,
                                  tag: linkTag.value,
                                  class: 'link',
                                  href: __props.item.link,
                                  rel: __props.item.rel,
                                  target: __props.item.target,
                                },
                                {
                                  default: withCtx(() => [
                                    (openBlock(),
                                    createBlock(
                                      resolveDynamicComponent(textTag.value),
                                      {
                                        class: 'text',
                                        innerHTML: __props.item.text,
                                      },
                                      null,
                                      8,
                                      ['innerHTML'],
                                    )),
                                  ]),
                                  _: 1,
                                },
                                8,
                                ['tag', 'href', 'rel', 'target'],
                              ))
                            : (openBlock(),
                              createBlock(
                                resolveDynamicComponent(textTag.value),
                                {
                                  key: 1,
                                  class: 'text',
                                  innerHTML: __props.item.text,
                                },
                                null,
                                8,
                                ['innerHTML'],
                              )),
                          __props.item.collapsed != null && __props.item.items && __props.item.items.length
                            ? (openBlock(),
                              createBlock(
                                'div',
                                {
                                  key: 2,
                                  class: 'caret',
                                  role: 'button',
                                  'aria-label': 'toggle section',
                                  onClick: onCaretClick,
                                  onKeydown: withKeys(onCaretClick, ['enter']),
                                  tabindex: '0',
                                },
                                [createVNode('span', { class: 'vpi-chevron-right caret-icon' })],
                                32,
                              ))
                            : createCommentVNode('', true),
                        ],
                        16,
                        ['role', 'tabindex'],
                      ))
                    : createCommentVNode('', true),
                  __props.item.items && __props.item.items.length
                    ? (openBlock(),
                      createBlock(
                        'div',
                        {
                          key: 1,
                          class: 'items',
                        },
                        [
                          __props.depth < 5
                            ? (openBlock(true),
                              createBlock(
                                Fragment,
                                { key: 0 },
                                renderList(__props.item.items, (i) => {
                                  return (
                                    openBlock(),
                                    createBlock(
                                      _component_VPSidebarItem,
                                      {
                                        key: i.text,
                                        item: i,
                                        depth: __props.depth + 1,
                                      },
                                      null,
                                      8,
                                      ['item', 'depth'],
                                    )
                                  );
                                }),
                                128,
                              ))
                            : createCommentVNode('', true),
                        ],
                      ))
                    : createCommentVNode('', true),
                ];
              }
            }),
            _: 1,
          },
        ),
        _parent,
      );
    };
  },
});
const _sfc_setup$d = _sfc_main$d.setup;
_sfc_main$d.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSidebarItem.vue',
  );
  return _sfc_setup$d ? _sfc_setup$d(props, ctx) : void 0;
};
const VPSidebarItem = /* @__PURE__ */ _export_sfc(_sfc_main$d, [['__scopeId', 'data-v-0009425e']]);
const _sfc_main$c = /* @__PURE__ */ defineComponent({
  __name: 'VPSidebarGroup',
  __ssrInlineRender: true,
  props: {
    items: {},
  },
  setup(__props) {
    const disableTransition = ref(true);
    let timer = null;
    onMounted(() => {
      timer = setTimeout(() => {
        timer = null;
        disableTransition.value = false;
      }, 300);
    });
    onBeforeUnmount(() => {
      if (timer != null) {
        clearTimeout(timer);
        timer = null;
      }
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<!--[-->`);
      ssrRenderList(__props.items, (item) => {
        _push(
          `<div class="${ssrRenderClass([{ 'no-transition': disableTransition.value }, 'group'])}" data-v-51288d80>`,
        );
        _push(
          ssrRenderComponent(
            VPSidebarItem,
            {
              item,
              depth: 0,
            },
            null,
            _parent,
          ),
        );
        _push(`</div>`);
      });
      _push(`<!--]-->`);
    };
  },
});
const _sfc_setup$c = _sfc_main$c.setup;
_sfc_main$c.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSidebarGroup.vue',
  );
  return _sfc_setup$c ? _sfc_setup$c(props, ctx) : void 0;
};
const VPSidebarGroup = /* @__PURE__ */ _export_sfc(_sfc_main$c, [['__scopeId', 'data-v-51288d80']]);
const _sfc_main$b = /* @__PURE__ */ defineComponent({
  __name: 'VPSidebar',
  __ssrInlineRender: true,
  props: {
    open: { type: Boolean },
  },
  setup(__props) {
    const { sidebarGroups, hasSidebar } = useSidebar();
    const props = __props;
    const navEl = ref(null);
    const isLocked = useScrollLock(inBrowser ? document.body : null);
    watch(
      [props, navEl],
      () => {
        var _a;
        if (props.open) {
          isLocked.value = true;
          (_a = navEl.value) == null ? void 0 : _a.focus();
        } else isLocked.value = false;
      },
      { immediate: true, flush: 'post' },
    );
    const key = ref(0);
    watch(
      sidebarGroups,
      () => {
        key.value += 1;
      },
      { deep: true },
    );
    return (_ctx, _push, _parent, _attrs) => {
      if (unref(hasSidebar)) {
        _push(
          `<aside${ssrRenderAttrs(
            mergeProps(
              {
                class: ['VPSidebar', { open: __props.open }],
                ref_key: 'navEl',
                ref: navEl,
              },
              _attrs,
            ),
          )} data-v-42c4c606><div class="curtain" data-v-42c4c606></div><nav class="nav" id="VPSidebarNav" aria-labelledby="sidebar-aria-label" tabindex="-1" data-v-42c4c606><span class="visually-hidden" id="sidebar-aria-label" data-v-42c4c606> Sidebar Navigation </span>`,
        );
        ssrRenderSlot(_ctx.$slots, 'sidebar-nav-before', {}, null, _push, _parent);
        _push(
          ssrRenderComponent(
            VPSidebarGroup,
            {
              items: unref(sidebarGroups),
              key: key.value,
            },
            null,
            _parent,
          ),
        );
        ssrRenderSlot(_ctx.$slots, 'sidebar-nav-after', {}, null, _push, _parent);
        _push(`</nav></aside>`);
      } else {
        _push(`<!---->`);
      }
    };
  },
});
const _sfc_setup$b = _sfc_main$b.setup;
_sfc_main$b.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSidebar.vue',
  );
  return _sfc_setup$b ? _sfc_setup$b(props, ctx) : void 0;
};
const VPSidebar = /* @__PURE__ */ _export_sfc(_sfc_main$b, [['__scopeId', 'data-v-42c4c606']]);
const _sfc_main$a = /* @__PURE__ */ defineComponent({
  __name: 'VPSkipLink',
  __ssrInlineRender: true,
  setup(__props) {
    const { theme: theme2 } = useData();
    const route = useRoute();
    const backToTop = ref();
    watch(
      () => route.path,
      () => backToTop.value.focus(),
    );
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<!--[--><span tabindex="-1" data-v-fcbfc0e0></span><a href="#VPContent" class="VPSkipLink visually-hidden" data-v-fcbfc0e0>${ssrInterpolate(unref(theme2).skipToContentLabel || 'Skip to content')}</a><!--]-->`,
      );
    };
  },
});
const _sfc_setup$a = _sfc_main$a.setup;
_sfc_main$a.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSkipLink.vue',
  );
  return _sfc_setup$a ? _sfc_setup$a(props, ctx) : void 0;
};
const VPSkipLink = /* @__PURE__ */ _export_sfc(_sfc_main$a, [['__scopeId', 'data-v-fcbfc0e0']]);
const _sfc_main$9 = /* @__PURE__ */ defineComponent({
  __name: 'Layout',
  __ssrInlineRender: true,
  setup(__props) {
    const { isOpen: isSidebarOpen, open: openSidebar, close: closeSidebar } = useSidebar();
    const route = useRoute();
    watch(() => route.path, closeSidebar);
    useCloseSidebarOnEscape(isSidebarOpen, closeSidebar);
    const { frontmatter } = useData();
    const slots = useSlots();
    const heroImageSlotExists = computed(() => !!slots['home-hero-image']);
    provide('hero-image-slot-exists', heroImageSlotExists);
    return (_ctx, _push, _parent, _attrs) => {
      const _component_Content = resolveComponent('Content');
      if (unref(frontmatter).layout !== false) {
        _push(
          `<div${ssrRenderAttrs(
            mergeProps(
              {
                class: ['Layout', unref(frontmatter).pageClass],
              },
              _attrs,
            ),
          )} data-v-d8b57b2d>`,
        );
        ssrRenderSlot(_ctx.$slots, 'layout-top', {}, null, _push, _parent);
        _push(ssrRenderComponent(VPSkipLink, null, null, _parent));
        _push(
          ssrRenderComponent(
            VPBackdrop,
            {
              class: 'backdrop',
              show: unref(isSidebarOpen),
              onClick: unref(closeSidebar),
            },
            null,
            _parent,
          ),
        );
        _push(
          ssrRenderComponent(
            VPNav,
            null,
            {
              'nav-bar-title-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-title-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-title-before', {}, void 0, true)];
                }
              }),
              'nav-bar-title-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-title-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-title-after', {}, void 0, true)];
                }
              }),
              'nav-bar-content-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-content-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-content-before', {}, void 0, true)];
                }
              }),
              'nav-bar-content-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-bar-content-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-bar-content-after', {}, void 0, true)];
                }
              }),
              'nav-screen-content-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-screen-content-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-screen-content-before', {}, void 0, true)];
                }
              }),
              'nav-screen-content-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'nav-screen-content-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'nav-screen-content-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
        _push(
          ssrRenderComponent(
            VPLocalNav,
            {
              open: unref(isSidebarOpen),
              onOpenMenu: unref(openSidebar),
            },
            null,
            _parent,
          ),
        );
        _push(
          ssrRenderComponent(
            VPSidebar,
            { open: unref(isSidebarOpen) },
            {
              'sidebar-nav-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'sidebar-nav-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'sidebar-nav-before', {}, void 0, true)];
                }
              }),
              'sidebar-nav-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'sidebar-nav-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'sidebar-nav-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
        _push(
          ssrRenderComponent(
            VPContent,
            null,
            {
              'page-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'page-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'page-top', {}, void 0, true)];
                }
              }),
              'page-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'page-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'page-bottom', {}, void 0, true)];
                }
              }),
              'not-found': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'not-found', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'not-found', {}, void 0, true)];
                }
              }),
              'home-hero-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-before', {}, void 0, true)];
                }
              }),
              'home-hero-info-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info-before', {}, void 0, true)];
                }
              }),
              'home-hero-info': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info', {}, void 0, true)];
                }
              }),
              'home-hero-info-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-info-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-info-after', {}, void 0, true)];
                }
              }),
              'home-hero-actions-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-actions-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-actions-after', {}, void 0, true)];
                }
              }),
              'home-hero-image': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-image', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-image', {}, void 0, true)];
                }
              }),
              'home-hero-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-hero-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-hero-after', {}, void 0, true)];
                }
              }),
              'home-features-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-features-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-features-before', {}, void 0, true)];
                }
              }),
              'home-features-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'home-features-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'home-features-after', {}, void 0, true)];
                }
              }),
              'doc-footer-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-footer-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-footer-before', {}, void 0, true)];
                }
              }),
              'doc-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-before', {}, void 0, true)];
                }
              }),
              'doc-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-after', {}, void 0, true)];
                }
              }),
              'doc-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-top', {}, void 0, true)];
                }
              }),
              'doc-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'doc-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'doc-bottom', {}, void 0, true)];
                }
              }),
              'aside-top': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-top', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-top', {}, void 0, true)];
                }
              }),
              'aside-bottom': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-bottom', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-bottom', {}, void 0, true)];
                }
              }),
              'aside-outline-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-outline-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-outline-before', {}, void 0, true)];
                }
              }),
              'aside-outline-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-outline-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-outline-after', {}, void 0, true)];
                }
              }),
              'aside-ads-before': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-ads-before', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-ads-before', {}, void 0, true)];
                }
              }),
              'aside-ads-after': withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  ssrRenderSlot(_ctx.$slots, 'aside-ads-after', {}, null, _push2, _parent2, _scopeId);
                } else {
                  return [renderSlot(_ctx.$slots, 'aside-ads-after', {}, void 0, true)];
                }
              }),
              _: 3,
            },
            _parent,
          ),
        );
        _push(ssrRenderComponent(VPFooter, null, null, _parent));
        ssrRenderSlot(_ctx.$slots, 'layout-bottom', {}, null, _push, _parent);
        _push(`</div>`);
      } else {
        _push(ssrRenderComponent(_component_Content, _attrs, null, _parent));
      }
    };
  },
});
const _sfc_setup$9 = _sfc_main$9.setup;
_sfc_main$9.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/Layout.vue',
  );
  return _sfc_setup$9 ? _sfc_setup$9(props, ctx) : void 0;
};
const Layout = /* @__PURE__ */ _export_sfc(_sfc_main$9, [['__scopeId', 'data-v-d8b57b2d']]);
const GridSettings = {
  xmini: [[0, 2]],
  mini: [],
  small: [
    [920, 6],
    [768, 5],
    [640, 4],
    [480, 3],
    [0, 2],
  ],
  medium: [
    [960, 5],
    [832, 4],
    [640, 3],
    [480, 2],
  ],
  big: [
    [832, 3],
    [640, 2],
  ],
};
function useSponsorsGrid({ el, size = 'medium' }) {
  const onResize = throttleAndDebounce(manage, 100);
  onMounted(() => {
    manage();
    window.addEventListener('resize', onResize);
  });
  onUnmounted(() => {
    window.removeEventListener('resize', onResize);
  });
  function manage() {
    adjustSlots(el.value, size);
  }
}
function adjustSlots(el, size) {
  const tsize = el.children.length;
  const asize = el.querySelectorAll('.vp-sponsor-grid-item:not(.empty)').length;
  const grid = setGrid(el, size, asize);
  manageSlots(el, grid, tsize, asize);
}
function setGrid(el, size, items) {
  const settings = GridSettings[size];
  const screen = window.innerWidth;
  let grid = 1;
  settings.some(([breakpoint, value]) => {
    if (screen >= breakpoint) {
      grid = items < value ? items : value;
      return true;
    }
  });
  setGridData(el, grid);
  return grid;
}
function setGridData(el, value) {
  el.dataset.vpGrid = String(value);
}
function manageSlots(el, grid, tsize, asize) {
  const diff = tsize - asize;
  const rem = asize % grid;
  const drem = rem === 0 ? rem : grid - rem;
  neutralizeSlots(el, drem - diff);
}
function neutralizeSlots(el, count) {
  if (count === 0) {
    return;
  }
  count > 0 ? addSlots(el, count) : removeSlots(el, count * -1);
}
function addSlots(el, count) {
  for (let i = 0; i < count; i++) {
    const slot = document.createElement('div');
    slot.classList.add('vp-sponsor-grid-item', 'empty');
    el.append(slot);
  }
}
function removeSlots(el, count) {
  for (let i = 0; i < count; i++) {
    el.removeChild(el.lastElementChild);
  }
}
const _sfc_main$8 = /* @__PURE__ */ defineComponent({
  __name: 'VPSponsorsGrid',
  __ssrInlineRender: true,
  props: {
    size: { default: 'medium' },
    data: {},
  },
  setup(__props) {
    const props = __props;
    const el = ref(null);
    useSponsorsGrid({ el, size: props.size });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPSponsorsGrid vp-sponsor-grid', [__props.size]],
              ref_key: 'el',
              ref: el,
            },
            _attrs,
          ),
        )}><!--[-->`,
      );
      ssrRenderList(__props.data, (sponsor) => {
        _push(
          `<div class="vp-sponsor-grid-item"><a class="vp-sponsor-grid-link"${ssrRenderAttr('href', sponsor.url)} target="_blank" rel="sponsored noopener"><article class="vp-sponsor-grid-box"><h4 class="visually-hidden">${ssrInterpolate(sponsor.name)}</h4><img class="vp-sponsor-grid-image"${ssrRenderAttr('src', sponsor.img)}${ssrRenderAttr('alt', sponsor.name)}></article></a></div>`,
        );
      });
      _push(`<!--]--></div>`);
    };
  },
});
const _sfc_setup$8 = _sfc_main$8.setup;
_sfc_main$8.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSponsorsGrid.vue',
  );
  return _sfc_setup$8 ? _sfc_setup$8(props, ctx) : void 0;
};
const _sfc_main$7 = /* @__PURE__ */ defineComponent({
  __name: 'VPSponsors',
  __ssrInlineRender: true,
  props: {
    mode: { default: 'normal' },
    tier: {},
    size: {},
    data: {},
  },
  setup(__props) {
    const props = __props;
    const sponsors = computed(() => {
      const isSponsors = props.data.some((s) => {
        return 'items' in s;
      });
      if (isSponsors) {
        return props.data;
      }
      return [{ tier: props.tier, size: props.size, items: props.data }];
    });
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPSponsors vp-sponsor', [__props.mode]],
            },
            _attrs,
          ),
        )}><!--[-->`,
      );
      ssrRenderList(sponsors.value, (sponsor, index) => {
        _push(`<section class="vp-sponsor-section">`);
        if (sponsor.tier) {
          _push(`<h3 class="vp-sponsor-tier">${ssrInterpolate(sponsor.tier)}</h3>`);
        } else {
          _push(`<!---->`);
        }
        _push(
          ssrRenderComponent(
            _sfc_main$8,
            {
              size: sponsor.size,
              data: sponsor.items,
            },
            null,
            _parent,
          ),
        );
        _push(`</section>`);
      });
      _push(`<!--]--></div>`);
    };
  },
});
const _sfc_setup$7 = _sfc_main$7.setup;
_sfc_main$7.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPSponsors.vue',
  );
  return _sfc_setup$7 ? _sfc_setup$7(props, ctx) : void 0;
};
const _sfc_main$6 = /* @__PURE__ */ defineComponent({
  __name: 'VPDocAsideSponsors',
  __ssrInlineRender: true,
  props: {
    tier: {},
    size: {},
    data: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(`<div${ssrRenderAttrs(mergeProps({ class: 'VPDocAsideSponsors' }, _attrs))}>`);
      _push(
        ssrRenderComponent(
          _sfc_main$7,
          {
            mode: 'aside',
            tier: __props.tier,
            size: __props.size,
            data: __props.data,
          },
          null,
          _parent,
        ),
      );
      _push(`</div>`);
    };
  },
});
const _sfc_setup$6 = _sfc_main$6.setup;
_sfc_main$6.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPDocAsideSponsors.vue',
  );
  return _sfc_setup$6 ? _sfc_setup$6(props, ctx) : void 0;
};
const _sfc_main$5 = /* @__PURE__ */ defineComponent({
  __name: 'VPHomeSponsors',
  __ssrInlineRender: true,
  props: {
    message: {},
    actionText: { default: 'Become a sponsor' },
    actionLink: {},
    data: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<section${ssrRenderAttrs(mergeProps({ class: 'VPHomeSponsors' }, _attrs))} data-v-3dc26e1d><div class="container" data-v-3dc26e1d><div class="header" data-v-3dc26e1d><div class="love" data-v-3dc26e1d><span class="vpi-heart icon" data-v-3dc26e1d></span></div>`,
      );
      if (__props.message) {
        _push(`<h2 class="message" data-v-3dc26e1d>${ssrInterpolate(__props.message)}</h2>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div><div class="sponsors" data-v-3dc26e1d>`);
      _push(ssrRenderComponent(_sfc_main$7, { data: __props.data }, null, _parent));
      _push(`</div>`);
      if (__props.actionLink) {
        _push(`<div class="action" data-v-3dc26e1d>`);
        _push(
          ssrRenderComponent(
            VPButton,
            {
              theme: 'sponsor',
              text: __props.actionText,
              href: __props.actionLink,
            },
            null,
            _parent,
          ),
        );
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div></section>`);
    };
  },
});
const _sfc_setup$5 = _sfc_main$5.setup;
_sfc_main$5.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPHomeSponsors.vue',
  );
  return _sfc_setup$5 ? _sfc_setup$5(props, ctx) : void 0;
};
const _sfc_main$4 = /* @__PURE__ */ defineComponent({
  __name: 'VPTeamMembersItem',
  __ssrInlineRender: true,
  props: {
    size: { default: 'medium' },
    member: {},
  },
  setup(__props) {
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<article${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPTeamMembersItem', [__props.size]],
            },
            _attrs,
          ),
        )} data-v-acff304e><div class="profile" data-v-acff304e><figure class="avatar" data-v-acff304e><img class="avatar-img"${ssrRenderAttr('src', __props.member.avatar)}${ssrRenderAttr('alt', __props.member.name)} data-v-acff304e></figure><div class="data" data-v-acff304e><h1 class="name" data-v-acff304e>${ssrInterpolate(__props.member.name)}</h1>`,
      );
      if (__props.member.title || __props.member.org) {
        _push(`<p class="affiliation" data-v-acff304e>`);
        if (__props.member.title) {
          _push(`<span class="title" data-v-acff304e>${ssrInterpolate(__props.member.title)}</span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.member.title && __props.member.org) {
          _push(`<span class="at" data-v-acff304e> @ </span>`);
        } else {
          _push(`<!---->`);
        }
        if (__props.member.org) {
          _push(
            ssrRenderComponent(
              _sfc_main$Z,
              {
                class: ['org', { link: __props.member.orgLink }],
                href: __props.member.orgLink,
                'no-icon': '',
              },
              {
                default: withCtx((_, _push2, _parent2, _scopeId) => {
                  if (_push2) {
                    _push2(`${ssrInterpolate(__props.member.org)}`);
                  } else {
                    return [createTextVNode(toDisplayString(__props.member.org), 1)];
                  }
                }),
                _: 1,
              },
              _parent,
            ),
          );
        } else {
          _push(`<!---->`);
        }
        _push(`</p>`);
      } else {
        _push(`<!---->`);
      }
      if (__props.member.desc) {
        _push(`<p class="desc" data-v-acff304e>${__props.member.desc ?? ''}</p>`);
      } else {
        _push(`<!---->`);
      }
      if (__props.member.links) {
        _push(`<div class="links" data-v-acff304e>`);
        _push(
          ssrRenderComponent(
            VPSocialLinks,
            {
              links: __props.member.links,
            },
            null,
            _parent,
          ),
        );
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</div></div>`);
      if (__props.member.sponsor) {
        _push(`<div class="sp" data-v-acff304e>`);
        _push(
          ssrRenderComponent(
            _sfc_main$Z,
            {
              class: 'sp-link',
              href: __props.member.sponsor,
              'no-icon': '',
            },
            {
              default: withCtx((_, _push2, _parent2, _scopeId) => {
                if (_push2) {
                  _push2(
                    `<span class="vpi-heart sp-icon" data-v-acff304e${_scopeId}></span> ${ssrInterpolate(__props.member.actionText || 'Sponsor')}`,
                  );
                } else {
                  return [
                    createVNode('span', { class: 'vpi-heart sp-icon' }),
                    createTextVNode(' ' + toDisplayString(__props.member.actionText || 'Sponsor'), 1),
                  ];
                }
              }),
              _: 1,
            },
            _parent,
          ),
        );
        _push(`</div>`);
      } else {
        _push(`<!---->`);
      }
      _push(`</article>`);
    };
  },
});
const _sfc_setup$4 = _sfc_main$4.setup;
_sfc_main$4.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPTeamMembersItem.vue',
  );
  return _sfc_setup$4 ? _sfc_setup$4(props, ctx) : void 0;
};
const VPTeamMembersItem = /* @__PURE__ */ _export_sfc(_sfc_main$4, [['__scopeId', 'data-v-acff304e']]);
const _sfc_main$3 = /* @__PURE__ */ defineComponent({
  __name: 'VPTeamMembers',
  __ssrInlineRender: true,
  props: {
    size: { default: 'medium' },
    members: {},
  },
  setup(__props) {
    const props = __props;
    const classes = computed(() => [props.size, `count-${props.members.length}`]);
    return (_ctx, _push, _parent, _attrs) => {
      _push(
        `<div${ssrRenderAttrs(
          mergeProps(
            {
              class: ['VPTeamMembers', classes.value],
            },
            _attrs,
          ),
        )} data-v-bf782009><div class="container" data-v-bf782009><!--[-->`,
      );
      ssrRenderList(__props.members, (member) => {
        _push(`<div class="item" data-v-bf782009>`);
        _push(
          ssrRenderComponent(
            VPTeamMembersItem,
            {
              size: __props.size,
              member,
            },
            null,
            _parent,
          ),
        );
        _push(`</div>`);
      });
      _push(`<!--]--></div></div>`);
    };
  },
});
const _sfc_setup$3 = _sfc_main$3.setup;
_sfc_main$3.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPTeamMembers.vue',
  );
  return _sfc_setup$3 ? _sfc_setup$3(props, ctx) : void 0;
};
const _sfc_main$2 = {};
const _sfc_setup$2 = _sfc_main$2.setup;
_sfc_main$2.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPTeamPage.vue',
  );
  return _sfc_setup$2 ? _sfc_setup$2(props, ctx) : void 0;
};
const _sfc_main$1 = {};
const _sfc_setup$1 = _sfc_main$1.setup;
_sfc_main$1.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPTeamPageSection.vue',
  );
  return _sfc_setup$1 ? _sfc_setup$1(props, ctx) : void 0;
};
const _sfc_main = {};
const _sfc_setup = _sfc_main.setup;
_sfc_main.setup = (props, ctx) => {
  const ssrContext = useSSRContext();
  (ssrContext.modules || (ssrContext.modules = /* @__PURE__ */ new Set())).add(
    'node_modules/vitepress/dist/client/theme-default/components/VPTeamPageTitle.vue',
  );
  return _sfc_setup ? _sfc_setup(props, ctx) : void 0;
};
const theme = {
  Layout,
  enhanceApp: ({ app }) => {
    app.component('Badge', _sfc_main$14);
  },
};
const ClientOnly = defineComponent({
  setup(_, { slots }) {
    const show = ref(false);
    onMounted(() => {
      show.value = true;
    });
    return () => (show.value && slots.default ? slots.default() : null);
  },
});
function useCodeGroups() {
  if (inBrowser) {
    window.addEventListener('click', (e) => {
      var _a;
      const el = e.target;
      if (el.matches('.vp-code-group input')) {
        const group = (_a = el.parentElement) == null ? void 0 : _a.parentElement;
        if (!group) return;
        const i = Array.from(group.querySelectorAll('input')).indexOf(el);
        if (i < 0) return;
        const blocks = group.querySelector('.blocks');
        if (!blocks) return;
        const current = Array.from(blocks.children).find((child) => child.classList.contains('active'));
        if (!current) return;
        const next = blocks.children[i];
        if (!next || current === next) return;
        current.classList.remove('active');
        next.classList.add('active');
        const label = group == null ? void 0 : group.querySelector(`label[for="${el.id}"]`);
        label == null ? void 0 : label.scrollIntoView({ block: 'nearest' });
      }
    });
  }
}
function useCopyCode() {
  if (inBrowser) {
    const timeoutIdMap = /* @__PURE__ */ new WeakMap();
    window.addEventListener('click', (e) => {
      var _a;
      const el = e.target;
      if (el.matches('div[class*="language-"] > button.copy')) {
        const parent = el.parentElement;
        const sibling = (_a = el.nextElementSibling) == null ? void 0 : _a.nextElementSibling;
        if (!parent || !sibling) {
          return;
        }
        const isShell = /language-(shellscript|shell|bash|sh|zsh)/.test(parent.className);
        const ignoredNodes = ['.vp-copy-ignore', '.diff.remove'];
        const clone = sibling.cloneNode(true);
        clone.querySelectorAll(ignoredNodes.join(',')).forEach((node) => node.remove());
        let text = clone.textContent || '';
        if (isShell) {
          text = text.replace(/^ *(\$|>) /gm, '').trim();
        }
        copyToClipboard(text).then(() => {
          el.classList.add('copied');
          clearTimeout(timeoutIdMap.get(el));
          const timeoutId = setTimeout(() => {
            el.classList.remove('copied');
            el.blur();
            timeoutIdMap.delete(el);
          }, 2e3);
          timeoutIdMap.set(el, timeoutId);
        });
      }
    });
  }
}
async function copyToClipboard(text) {
  try {
    return navigator.clipboard.writeText(text);
  } catch {
    const element = document.createElement('textarea');
    const previouslyFocusedElement = document.activeElement;
    element.value = text;
    element.setAttribute('readonly', '');
    element.style.contain = 'strict';
    element.style.position = 'absolute';
    element.style.left = '-9999px';
    element.style.fontSize = '12pt';
    const selection = document.getSelection();
    const originalRange = selection ? selection.rangeCount > 0 && selection.getRangeAt(0) : null;
    document.body.appendChild(element);
    element.select();
    element.selectionStart = 0;
    element.selectionEnd = text.length;
    document.execCommand('copy');
    document.body.removeChild(element);
    if (originalRange) {
      selection.removeAllRanges();
      selection.addRange(originalRange);
    }
    if (previouslyFocusedElement) {
      previouslyFocusedElement.focus();
    }
  }
}
function useUpdateHead(route, siteDataByRouteRef) {
  let isFirstUpdate = true;
  let managedHeadElements = [];
  const updateHeadTags = (newTags) => {
    if (isFirstUpdate) {
      isFirstUpdate = false;
      newTags.forEach((tag) => {
        const headEl = createHeadElement(tag);
        for (const el of document.head.children) {
          if (el.isEqualNode(headEl)) {
            managedHeadElements.push(el);
            return;
          }
        }
      });
      return;
    }
    const newElements = newTags.map(createHeadElement);
    managedHeadElements.forEach((oldEl, oldIndex) => {
      const matchedIndex = newElements.findIndex((newEl) =>
        newEl == null ? void 0 : newEl.isEqualNode(oldEl ?? null),
      );
      if (matchedIndex !== -1) {
        delete newElements[matchedIndex];
      } else {
        oldEl == null ? void 0 : oldEl.remove();
        delete managedHeadElements[oldIndex];
      }
    });
    newElements.forEach((el) => el && document.head.appendChild(el));
    managedHeadElements = [...managedHeadElements, ...newElements].filter(Boolean);
  };
  watchEffect(() => {
    const pageData = route.data;
    const siteData2 = siteDataByRouteRef.value;
    const pageDescription = pageData && pageData.description;
    const frontmatterHead = (pageData && pageData.frontmatter.head) || [];
    const title = createTitle(siteData2, pageData);
    if (title !== document.title) {
      document.title = title;
    }
    const description = pageDescription || siteData2.description;
    let metaDescriptionElement = document.querySelector(`meta[name=description]`);
    if (metaDescriptionElement) {
      if (metaDescriptionElement.getAttribute('content') !== description) {
        metaDescriptionElement.setAttribute('content', description);
      }
    } else {
      createHeadElement(['meta', { name: 'description', content: description }]);
    }
    updateHeadTags(mergeHead(siteData2.head, filterOutHeadDescription(frontmatterHead)));
  });
}
function createHeadElement([tag, attrs, innerHTML]) {
  const el = document.createElement(tag);
  for (const key in attrs) {
    el.setAttribute(key, attrs[key]);
  }
  if (innerHTML) {
    el.innerHTML = innerHTML;
  }
  if (tag === 'script' && attrs.async == null) {
    el.async = false;
  }
  return el;
}
function isMetaDescription(headConfig) {
  return headConfig[0] === 'meta' && headConfig[1] && headConfig[1].name === 'description';
}
function filterOutHeadDescription(head) {
  return head.filter((h2) => !isMetaDescription(h2));
}
const hasFetched = /* @__PURE__ */ new Set();
const createLink = () => document.createElement('link');
const viaDOM = (url) => {
  const link2 = createLink();
  link2.rel = `prefetch`;
  link2.href = url;
  document.head.appendChild(link2);
};
const viaXHR = (url) => {
  const req = new XMLHttpRequest();
  req.open('GET', url, (req.withCredentials = true));
  req.send();
};
let link;
const doFetch =
  inBrowser && (link = createLink()) && link.relList && link.relList.supports && link.relList.supports('prefetch')
    ? viaDOM
    : viaXHR;
function usePrefetch() {
  if (!inBrowser) {
    return;
  }
  if (!window.IntersectionObserver) {
    return;
  }
  let conn;
  if ((conn = navigator.connection) && (conn.saveData || /2g/.test(conn.effectiveType))) {
    return;
  }
  const rIC = window.requestIdleCallback || setTimeout;
  let observer = null;
  const observeLinks = () => {
    if (observer) {
      observer.disconnect();
    }
    observer = new IntersectionObserver((entries) => {
      entries.forEach((entry) => {
        if (entry.isIntersecting) {
          const link2 = entry.target;
          observer.unobserve(link2);
          const { pathname } = link2;
          if (!hasFetched.has(pathname)) {
            hasFetched.add(pathname);
            const pageChunkPath = pathToFile(pathname);
            if (pageChunkPath) doFetch(pageChunkPath);
          }
        }
      });
    });
    rIC(() => {
      document.querySelectorAll('#app a').forEach((link2) => {
        const { hostname, pathname } = new URL(
          link2.href instanceof SVGAnimatedString ? link2.href.animVal : link2.href,
          link2.baseURI,
        );
        const extMatch = pathname.match(/\.\w+$/);
        if (extMatch && extMatch[0] !== '.html') {
          return;
        }
        if (
          // only prefetch same tab navigation, since a new tab will load
          // the lean js chunk instead.
          link2.target !== '_blank' && // only prefetch inbound links
          hostname === location.hostname
        ) {
          if (pathname !== location.pathname) {
            observer.observe(link2);
          } else {
            hasFetched.add(pathname);
          }
        }
      });
    });
  };
  onMounted(observeLinks);
  const route = useRoute();
  watch(() => route.path, observeLinks);
  onUnmounted(() => {
    observer && observer.disconnect();
  });
}
function resolveThemeExtends(theme2) {
  if (theme2.extends) {
    const base = resolveThemeExtends(theme2.extends);
    return {
      ...base,
      ...theme2,
      async enhanceApp(ctx) {
        if (base.enhanceApp) await base.enhanceApp(ctx);
        if (theme2.enhanceApp) await theme2.enhanceApp(ctx);
      },
    };
  }
  return theme2;
}
const Theme = resolveThemeExtends(theme);
const VitePressApp = defineComponent({
  name: 'VitePressApp',
  setup() {
    const { site, lang, dir } = useData$1();
    onMounted(() => {
      watchEffect(() => {
        document.documentElement.lang = lang.value;
        document.documentElement.dir = dir.value;
      });
    });
    if (site.value.router.prefetchLinks) {
      usePrefetch();
    }
    useCopyCode();
    useCodeGroups();
    if (Theme.setup) Theme.setup();
    return () => h(Theme.Layout);
  },
});
async function createApp() {
  globalThis.__VITEPRESS__ = true;
  const router = newRouter();
  const app = newApp();
  app.provide(RouterSymbol, router);
  const data = initData(router.route);
  app.provide(dataSymbol, data);
  app.component('Content', Content);
  app.component('ClientOnly', ClientOnly);
  Object.defineProperties(app.config.globalProperties, {
    $frontmatter: {
      get() {
        return data.frontmatter.value;
      },
    },
    $params: {
      get() {
        return data.page.value.params;
      },
    },
  });
  if (Theme.enhanceApp) {
    await Theme.enhanceApp({
      app,
      router,
      siteData: siteDataRef,
    });
  }
  return { app, router, data };
}
function newApp() {
  return createSSRApp(VitePressApp);
}
function newRouter() {
  let isInitialPageLoad = inBrowser;
  return createRouter((path) => {
    let pageFilePath = pathToFile(path);
    let pageModule = null;
    if (pageFilePath) {
      if (isInitialPageLoad) {
        pageFilePath = pageFilePath.replace(/\.js$/, '.lean.js');
      }
      if (false);
      else {
        pageModule = import(
          /*@vite-ignore*/
          pageFilePath
        );
      }
    }
    if (inBrowser) {
      isInitialPageLoad = false;
    }
    return pageModule;
  }, Theme.NotFound);
}
if (inBrowser) {
  createApp().then(({ app, router, data }) => {
    router.go().then(() => {
      useUpdateHead(router.route, data.site);
      app.mount('#app');
    });
  });
}
async function render(path) {
  const { app, router } = await createApp();
  await router.go(path);
  const ctx = { content: '', vpSocialIcons: /* @__PURE__ */ new Set() };
  ctx.content = await renderToString(app, ctx);
  return ctx;
}
export {
  useRouter as a,
  createSearchTranslate as c,
  dataSymbol as d,
  escapeRegExp as e,
  inBrowser as i,
  pathToFile as p,
  render,
  useData as u,
};
