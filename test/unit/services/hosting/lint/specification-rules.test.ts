import { describe, expect, it } from 'vitest';
import { action, faultsIn, GOOD, spec } from './lint-site.js';

describe('the members of a specification', () => {
  it('are missed, each at the beginning of the file', async () => {
    const absent = { label: undefined, categories: null, created: null, actions: undefined };
    expect(await faultsIn(spec(absent))).toEqual([
      'a/1.0.0/spec.json 1:1 error MEMBER_MISSING: label is missing',
      'a/1.0.0/spec.json 1:1 error MEMBER_MISSING: actions is missing',
      'a/1.0.0/spec.json 1:1 error MEMBER_MISSING: categories is missing',
      'a/1.0.0/spec.json 1:1 error MEMBER_MISSING: created is missing',
    ]);
  });

  it('are told when they are of another type', async () => {
    const wrong = { label: '', categories: ['pipeline', 1], created: 1.5, actions: {} };
    expect(await faultsIn(spec(wrong))).toEqual([
      'a/1.0.0/spec.json 2:11 error MEMBER_TYPE: label is not text',
      'a/1.0.0/spec.json 3:16 error MEMBER_TYPE: categories is not a list of texts',
      'a/1.0.0/spec.json 7:13 error MEMBER_TYPE: created is not a whole number',
      'a/1.0.0/spec.json 9:13 error MEMBER_TYPE: actions is not a list',
    ]);
    const others = { label: 1, categories: 'pipeline', created: '1', actions: 'none' };
    expect(await faultsIn(spec(others))).toEqual([
      'a/1.0.0/spec.json 2:11 error MEMBER_TYPE: label is not text',
      'a/1.0.0/spec.json 3:16 error MEMBER_TYPE: categories is not a list of texts',
      'a/1.0.0/spec.json 4:13 error MEMBER_TYPE: created is not a whole number',
      'a/1.0.0/spec.json 6:13 error MEMBER_TYPE: actions is not a list',
    ]);
  });

  it('may be of every text, number and list', async () => {
    expect(await faultsIn(spec({ categories: ['a', 'b'], created: 946_684_800 }))).toEqual([]);
    expect(await faultsIn(spec({ created: 1e11 }))).toEqual([]);
  });

  it('say a moment of the past in seconds', async () => {
    expect(await faultsIn(spec({ created: 1e11 + 1 }))).toEqual([
      'a/1.0.0/spec.json 4:13 warning CREATED_RANGE (fixable): created is in milliseconds, not seconds',
    ]);
    expect(await faultsIn(spec({ created: 1e11 + 1.5 }))).toEqual([
      'a/1.0.0/spec.json 4:13 error MEMBER_TYPE: created is not a whole number',
    ]);
    expect(await faultsIn(spec({ created: 946_684_799 }))).toEqual([
      'a/1.0.0/spec.json 4:13 warning CREATED_RANGE: created is before the year 2000',
    ]);
  });

  it('are told where they are the texts of a new package', async () => {
    const author = 'Your name';
    const org = 'Your organisation';
    const description = 'Says what the package is for, in one or two sentences.';
    expect(await faultsIn(spec({ author, org, description }))).toEqual([
      'a/1.0.0/spec.json 7:12 warning PLACEHOLDER: author still has the sample text: replace it, or remove the package',
      'a/1.0.0/spec.json 8:9 warning PLACEHOLDER: org still has the sample text: replace it, or remove the package',
      'a/1.0.0/spec.json 9:17 warning PLACEHOLDER: description still has the sample text: replace it, or remove the package',
    ]);
    expect(await faultsIn(spec({ author: 'Me', org: author, description: org }))).toEqual([]);
  });

  it('are not asked for where the specification is no object, or is not there', async () => {
    expect(await faultsIn({ 'a/1.0.0/spec.json': '[]', 'a/1.0.0/x.txt': '' })).toEqual([
      'a/1.0.0/spec.json 1:1 error BAD_JSON: it is not a JSON object',
    ]);
    expect(await faultsIn({ 'a/1.0.0/license.txt': '', 'a/1.0.0/x.txt': '' })).toEqual([
      'a/1.0.0/spec.json 1:1 error SPEC_MISSING: it does not exist: create it, or remove the folder',
    ]);
  });
});

describe('the actions of a specification', () => {
  it('are objects with a type', async () => {
    const actions = ['x', {}, { type: null }, { type: 1 }, [], { type: 'informational' }];
    expect(await faultsIn(spec({ actions }))).toEqual([
      'a/1.0.0/spec.json 7:3 error MEMBER_TYPE: action 1 is not an object with a type',
      'a/1.0.0/spec.json 8:3 error MEMBER_MISSING: action 2 has no type',
      'a/1.0.0/spec.json 9:3 error MEMBER_MISSING: action 3 has no type',
      'a/1.0.0/spec.json 12:3 error MEMBER_TYPE: action 4 is not an object with a type',
      'a/1.0.0/spec.json 15:3 error MEMBER_TYPE: action 5 is not an object with a type',
    ]);
  });

  it('have a type that is known', async () => {
    const actions = [action('informational', {}), action('create_app', { jar: 'x' })];
    expect(await faultsIn(spec({ actions }))).toEqual([
      'a/1.0.0/spec.json 12:12 error ACTION_TYPE: action 2 has the unknown type "create_app"',
    ]);
  });

  it('have a version that the platform accepts, as a number, too', async () => {
    const of = (version: unknown, scope: unknown = 'USER') =>
      action('create_artifact', { name: 'a', jar: 'x', config: 'y', version, scope });
    const actions = [of('1.0.0'), of(-1), of('x'), of(true), of('1.0.0', 'user'), of('1.0.0', 7)];
    const told = await faultsIn(spec({ actions }));
    expect(told.flatMap((line) => /(?<=ARG_VALUE: ).*/u.exec(line) ?? [])).toEqual([
      'the platform does not accept the artifact version "-1"',
      'the platform does not accept the artifact version "x"',
      'the scope is "7"; only "user" can be installed',
    ]);
  });

  it('have their arguments, or the user is asked', async () => {
    const actions = [
      action('create_pipeline', { name: null }),
      action('one_step_deploy_app', {}),
      action('deploy_app', {}),
      action('load_datapack', { files: [] }),
      { type: 'create_stream', arguments: {} },
      { type: 'create_stream', arguments: ['name', { name: 1 }, { name: 'name', value: 's' }] },
    ];
    expect(await faultsIn(spec({ actions }))).toEqual([
      'a/1.0.0/spec.json 7:3 error ARG_MISSING: action 1 has no argument artifact; create_pipeline requires it',
      'a/1.0.0/spec.json 7:3 error ARG_MISSING: action 1 has no argument config; create_pipeline requires it',
      'a/1.0.0/spec.json 7:3 warning INPUT_ASKED: action 1 has no argument name; users must provide it',
      'a/1.0.0/spec.json 16:3 error ARG_MISSING: action 2 has no argument jar; one_step_deploy_app requires it',
      'a/1.0.0/spec.json 20:3 warning INPUT_ASKED: action 3 has no argument jar; users must provide it',
      'a/1.0.0/spec.json 24:3 warning INPUT_ASKED: action 4 has no argument name; users must provide it',
      'a/1.0.0/spec.json 29:15 error ACTION_REFUSED: action 4: files lists no file',
      'a/1.0.0/spec.json 33:3 error ARG_MISSING: action 5 has no argument name; create_stream requires it',
      'a/1.0.0/spec.json 35:17 error ACTION_REFUSED: "arguments" of action 5 (create_stream) is not a list',
      'a/1.0.0/spec.json 40:5 error ACTION_REFUSED: an argument of action 6 (create_stream) is not an object',
      'a/1.0.0/spec.json 41:5 error ACTION_REFUSED: an argument of action 6 (create_stream) has no name',
    ]);
  });

  it('have arguments of their types', async () => {
    const actions = [
      action('informational', { steps: 'x', unknown: {} }),
      action('informational', { steps: ['x', 1] }),
      action('informational', { steps: ['x', 'y'] }),
      action('create_pipeline', { artifact: 'x', name: ['P'], config: {} }),
      action('create_stream', { name: 7, description: null }),
    ];
    expect(await faultsIn(spec({ actions }))).toEqual([
      'a/1.0.0/spec.json 12:15 error ARG_TYPE: steps of action 1 has the wrong type',
      'a/1.0.0/spec.json 25:15 error ARG_TYPE: steps of action 2 has the wrong type',
      'a/1.0.0/spec.json 49:15 error ARG_TYPE: artifact of action 4 has the wrong type',
      'a/1.0.0/spec.json 53:15 error ARG_TYPE: name of action 4 has the wrong type',
      'a/1.0.0/spec.json 59:15 error ARG_TYPE: config of action 4 has the wrong type',
    ]);
  });

  it('name files that are there, which may be said of a list of them, too', async () => {
    const actions = [
      action('create_plugin_artifact', { name: 'x.txt', config: 'p.json', jar: 'p.jar' }),
      action('load_datapack', { name: 'D', files: ['a.csv', 1, 'b.csv'] }),
      action('load_datapack', { name: 'D', files: 'c.csv' }),
    ];
    const files = { 'a/1.0.0/a.csv': '', 'a/1.0.0/p.json': { parents: ['system:x[1,2]'] } };
    expect(await faultsIn({ ...spec({ actions, license: 'no.txt' }), ...files })).toEqual([
      'a/1.0.0/spec.json 20:15 error REF_MISSING: resource "p.jar" of action 1 does not exist',
      'a/1.0.0/spec.json 33:15 error ARG_TYPE: files of action 2 has the wrong type',
      'a/1.0.0/spec.json 36:7 error REF_MISSING: resource "b.csv" of action 2 does not exist',
      'a/1.0.0/spec.json 50:15 error ARG_TYPE: files of action 3 has the wrong type',
      'a/1.0.0/spec.json 50:15 error REF_MISSING: resource "c.csv" of action 3 does not exist',
      'a/1.0.0/spec.json 55:13 error REF_MISSING: the license does not exist',
    ]);
  });

  it('V10: name no specification, signature or file that is never signed', async () => {
    const names = ['SPEC.json', 'icon.png', 'license.txt', 'x.jar.asc', 'y.asc'];
    const actions = names.map((jar) => action('deploy_app', { jar }));
    const files = Object.fromEntries([...names, 'x.jar'].map((name) => [`a/1.0.0/${name}`, '']));
    expect(await faultsIn({ ...files, ...spec({ actions, license: 'license.txt' }) })).toEqual([
      'a/1.0.0/SPEC.json 1:1 error JAR_BAD: SPEC.json is not a valid JAR: it is not a ZIP archive',
      'a/1.0.0/icon.png 1:1 warning ICON_TYPE: it is not a PNG image',
      'a/1.0.0/icon.png 1:1 error JAR_BAD: icon.png is not a valid JAR: it is not a ZIP archive',
      'a/1.0.0/license.txt 1:1 error JAR_BAD: license.txt is not a valid JAR: it is not a ZIP archive',
      'a/1.0.0/spec.json 12:15 error BAD_NAME: action 1 uses "SPEC.json", which is the specification itself',
      'a/1.0.0/spec.json 21:15 error BAD_NAME: action 2 uses "icon.png", which is never signed',
      'a/1.0.0/spec.json 30:15 error BAD_NAME: action 3 uses "license.txt", which is never signed',
      'a/1.0.0/spec.json 39:15 error BAD_NAME: action 4 uses "x.jar.asc", which is the signature of x.jar',
      'a/1.0.0/x.jar 1:1 warning REF_UNUSED: no action uses it',
      'a/1.0.0/x.jar.asc 1:1 error JAR_BAD: x.jar.asc is not a valid JAR: it is not a ZIP archive',
      'a/1.0.0/y.asc 1:1 error JAR_BAD: y.asc is not a valid JAR: it is not a ZIP archive',
    ]);
  });

  it('name each file but those that every package has, and signatures', async () => {
    const files = ['icon.png', 'license.txt', 'x.asc', 'x.ascii', 'my-icon.png', 'spec.json.bak', 'license.txt.old'];
    const beside = Object.fromEntries(files.map((name) => [`a/1.0.0/${name}`, '']));
    expect(await faultsIn({ ...beside, ...spec({ license: null }) })).toEqual([
      'a/1.0.0/icon.png 1:1 warning ICON_TYPE: it is not a PNG image',
      'a/1.0.0/license.txt 1:1 warning LICENSE_UNNAMED: the specification does not name it, so users do not see it',
      'a/1.0.0/license.txt.old 1:1 warning REF_UNUSED: no action uses it',
      'a/1.0.0/my-icon.png 1:1 warning REF_UNUSED: no action uses it',
      'a/1.0.0/spec.json.bak 1:1 warning REF_UNUSED: no action uses it',
      'a/1.0.0/x.ascii 1:1 warning REF_UNUSED: no action uses it',
    ]);
    expect(await faultsIn({ 'a/1.0.0/own.txt': '', ...spec({ license: 'own.txt' }) })).toEqual([]);
    expect(await faultsIn({ 'a/1.0.0/spec.json': { ...GOOD, license: 1 } })).toEqual([]);
  });
});
