// The routes of schedules and hosts: the operations of the client, in the caller's name.
import { hostDocument, scheduleDocument } from '../client/documents/fleet-documents.js';
import { listHosts } from '../client/fleet/hosts.js';
import { triggerSchedule } from '../client/schedules/schedule-runs.js';
import { listSchedules, pauseSchedule, resumeSchedule } from '../client/schedules/schedules.js';
import type { Handlers } from './handlers.js';

/** The routes of this file. */
export const fleetHandlers: Handlers<'schedules' | 'pauseSchedule' | 'resumeSchedule' | 'triggerSchedule' | 'hosts'> = {
  schedules: async (_serving, { raymond }) => ({
    schedules: (await listSchedules(raymond)).map(scheduleDocument),
  }),
  pauseSchedule: async (_serving, { raymond, who, params: { schedule: name } }) => {
    await pauseSchedule(raymond, { name, by: who.name });
    return { name };
  },
  resumeSchedule: async (_serving, { raymond, who, params: { schedule: name } }) => {
    await resumeSchedule(raymond, { name, by: who.name });
    return { name };
  },
  triggerSchedule: async (_serving, { raymond, params: { schedule: name } }) => {
    const done = await triggerSchedule(raymond, { name });
    return done.kind === 'started' ? { name, runId: done.runId } : { name };
  },
  hosts: async (_serving, { raymond }) => ({ hosts: (await listHosts(raymond)).map(hostDocument) }),
};
