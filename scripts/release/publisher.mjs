// Who publishes Raymond: `repository` in package.json is the one place that says it. Its other addresses follow from that.

const GITHUB = /^(?:git\+)?https:\/\/github\.com\/([\w.-]+)\/([\w.-]+?)(?:\.git)?$/;

/** The fields of package.json for a repository of GitHub, given as OWNER/NAME; undefined when it is not of that form. */
export function addressesOf(slug) {
  const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(slug) ?? [];
  if (name === undefined) return undefined;
  const url = `https://github.com/${owner}/${name}`;
  return {
    repository: { type: 'git', url: `git+${url}.git` },
    homepage: `https://${owner.toLowerCase()}.github.io/${name}/`,
    bugs: { url: `${url}/issues` },
  };
}

/** What a manifest lacks of these; undefined when all is there and agrees. */
export function lackingAddresses({ repository, homepage, bugs }) {
  const [, owner, name] = GITHUB.exec(repository?.url ?? '') ?? [];
  if (name === undefined) return 'package.json names no repository: npm run release -- --repository OWNER/NAME';
  const { homepage: site, bugs: tracker } = addressesOf(`${owner}/${name}`);
  if (homepage !== site || bugs?.url !== tracker.url)
    return `homepage and bugs in package.json are not those of ${owner}/${name}: npm run release -- --repository ${owner}/${name}`;
  return undefined;
}
