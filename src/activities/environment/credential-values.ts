// Which values of an environment are credentials: by the names of their variables, and by their
// position in addresses and connection strings, whatever the variable is called. Pure.

/** Words that mark a name as that of a credential, between underscores. */
const WORD =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|JWT|SECRETS?|PASS|PASSWORDS?|PASSWD|PASSPHRASE|PWD|PAT|CREDENTIALS?|CREDS|AUTH|DSN|CERT|PRIVATE)(?:_|$)/i;

/** Endings that mark it without an underscore, as in DBPASS and PGPASSWORD; not in COMPASS. */
const ENDING =
  /(?:(?<!COM|BY|ASK|TRES)PASS|PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|(?:API|ACCESS|AUTH|SECRET|PRIVATE|MASTER|SIGNING)KEY)$/i;

/** Names that describe a credential: its location, its name or its use. */
const ABOUT =
  /_(?:FILE|PATH|DIR|HOME|SOCK|SOCKET|NAME|USER|TYPE|METHOD|MODE|TTL|MS|SECONDS|EXPIRY|COUNT|LIMIT|LENGTH|HELPER|COMMAND|ID)$/i;

/** Folders of shells; the file of the X server; programs that ask. */
const NONE = /^(?:PWD|OLDPWD|INIT_CWD|XAUTHORITY|\w*ASKPASS)$/i;

/** A variable of these names may hold the path of a file instead. */
const OR_PATH = /(?:CERT|AUTH|PRIVATE|CREDENTIALS?|CREDS|PWD|PASS)$/i;
const PATH = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@ /\\-]+$/;

/** Shorter values appear in too many texts by chance. */
const SHORTEST = 6;
const COMMON = /^(?:\d{1,7}|enabled|disabled|default|required|optional|unknown|undefined|string|number)$/i;

const IN_ADDRESS = /[a-z][a-z0-9+.-]*:\/\/([^\s/?#:@]*):([^\s/?#]+)@([^\s/?#@]*)/gi;
const IN_CONNECTION = /(?:^|[\s;&?])(?:password|pwd|passwd|AccountKey|SharedAccessKey)\s*=\s*([^\s;&]+)/gi;

/** True for a name of a variable that holds a credential. */
export function isCredentialName(name: string): boolean {
  return !NONE.test(name) && !ABOUT.test(name) && (WORD.test(name) || ENDING.test(name));
}

/** The credentials in the value of a variable. */
export function credentialsIn(name: string, value: string): readonly string[] {
  const plain = value.trim();
  const isPath = OR_PATH.test(name) && PATH.test(plain);
  const whole = isCredentialName(name) && !isPath ? [plain] : [];
  return [...whole, ...inAddresses(plain), ...inConnections(plain)].filter(isDistinctive);
}

/**
 * Names and passwords in addresses; the password alone counts as well, unless another part of the
 * address contains that word.
 */
function inAddresses(value: string): readonly string[] {
  if (!value.includes('://')) return [];
  return [...value.matchAll(IN_ADDRESS)].flatMap(([, user = '', password = '', host = '']) => {
    const said = `${user}@${host}`.toLowerCase();
    const own = said.includes(password.toLowerCase()) ? [] : [password, decoded(password)];
    return [`${user}:${password}@`, ...own];
  });
}

function inConnections(value: string): readonly string[] {
  return value.includes('=') ? [...value.matchAll(IN_CONNECTION)].flatMap(([, password = '']) => password) : [];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a percent sign that encodes nothing
  }
}

function isDistinctive(value: string): boolean {
  return value.length >= SHORTEST && !COMMON.test(value);
}
