interface Addresses {
  readonly repository: { readonly type: 'git'; readonly url: string };
  readonly homepage: string;
  readonly bugs: { readonly url: string };
}
export function addressesOf(slug: string): Addresses | undefined;
export function lackingAddresses(manifest: Partial<Addresses>): string | undefined;
