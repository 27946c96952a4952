// Read-only links: anyone with the address reads everything and changes nothing, until it expires or is revoked.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api.js';
import { Action, Field } from '../parts/action.js';
import { Empty, Heading, Loading, Moment, ProblemNote, Table } from '../parts/bits.js';
import { Copy } from '../parts/copy.js';
import { useResource } from '../resource.js';

const HOURS: readonly (readonly [hours: number, name: string])[] = [
  [1, 'an hour'],
  [24, 'a day'],
  [168, 'a week'],
  [720, '30 days'],
];

/** The view. */
export function LinksView(): JSX.Element {
  const { data, problem, reload } = useResource({ key: 'links', load: () => api.links() });
  const [address, setAddress] = useState<string>();
  return (
    <>
      <Heading more={<NewLink made={(made) => (setAddress(made), reload())} />}>Read-only links</Heading>
      <p>Anyone with a read-only link can read runs, questions and results, and cannot change anything.</p>
      <ProblemNote problem={problem} />
      {address !== undefined && (
        <section class="card" aria-label="The new link">
          <p class="row">
            <strong>Copy it now: it is not shown again.</strong> <Copy text={address} what="the link" />
          </p>
          <pre class="text" tabIndex={0} role="region" aria-label="Address">
            {address}
          </pre>
        </section>
      )}
      {data === undefined && problem === undefined && <Loading what="the links" />}
      {data?.links.length === 0 && <Empty>No active links.</Empty>}
      {data !== undefined && data.links.length > 0 && (
        <Table of="Links" columns={['Name', 'Created by', 'Created', 'Expires', 'Actions']}>
          {data.links.map(({ id, name, by, createdAt, expiresAt }) => (
            <tr key={id}>
              <th scope="row">{name}</th>
              <td>{by}</td>
              <td>
                <Moment time={createdAt} />
              </td>
              <td>
                <Moment time={expiresAt} />
              </td>
              <td>
                <Action
                  label={`Revoke ${name}`}
                  submit="Revoke"
                  tone="bad"
                  keep="Keep link"
                  consequence="The link stops working at once."
                  done={`The link ${name} is revoked.`}
                  act={() => api.revokeLink(id).then(reload)}
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function NewLink({ made }: { readonly made: (address: string) => void }): JSX.Element {
  const [form, setForm] = useState({ name: '', hours: 24 });
  const create = async (): Promise<void> => {
    const { token } = await api.createLink(form.name, form.hours);
    setForm({ ...form, name: '' });
    made(`${location.origin}/#token=${token}`);
  };
  return (
    <Action
      label="New link"
      submit="Create link"
      isPrimary
      consequence="Anyone with the address can read all runs, questions and results of this project until it expires. It works where this server can be reached."
      done="The link was created."
      isReady={form.name.trim() !== ''}
      act={create}
    >
      <Field label="For whom" value={form.name} set={(name) => setForm({ ...form, name })} required />
      <div class="field">
        <label for="link-hours">Valid for</label>
        <select
          id="link-hours"
          value={form.hours}
          onChange={({ currentTarget }) => setForm({ ...form, hours: Number(currentTarget.value) })}
        >
          {HOURS.map(([hours, name]) => (
            <option key={hours} value={hours}>
              {name}
            </option>
          ))}
        </select>
      </div>
    </Action>
  );
}
