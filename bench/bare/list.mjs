// What `raymond list` does, by Temporal alone. Usage: node bench/bare/list.mjs ADDRESS
import { Client, Connection } from '@temporalio/client';

const [address] = process.argv.slice(2);
const connection = await Connection.connect({ address });
const { workflow } = new Client({ connection });
for await (const { workflowId } of workflow.list({ query: 'WorkflowType = "run"' })) console.log(workflowId);
await connection.close();
