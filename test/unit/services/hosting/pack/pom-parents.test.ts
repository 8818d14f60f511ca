import { describe, expect, it } from 'vitest';
import { pomParents } from '../../../../../src/services/hosting/pack/pom-parents.js';
import { pomOf } from '../../../../support/sites/pack-jars.js';

/** Characters of the largest pom. */
const LARGEST = 1024 * 1024;
const PARENT = 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)';
const listed = (text: string): string => pomOf([], `<app.parents>${text}</app.parents>`);

describe('the parents of a pom', () => {
  it('of one line or several, with blanks behind their commas', () => {
    expect(pomParents(listed(`${PARENT},\n  system:a[1.0,2.0)`))).toEqual([PARENT, 'system:a[1.0,2.0)']);
  });

  const list = (...parents: readonly string[]): string =>
    `<cdapArtifacts>${parents.map((parent) => `<parent>${parent}</parent>`).join('')}</cdapArtifacts>`;
  const plugin = (body: string, id = 'cdap-maven-plugin'): string =>
    `<plugin><artifactId> ${id} </artifactId>${body}</plugin>`;
  const [A, B, C] = ['system:a[1.0,2.0)', 'system:b[1.0,2.0)', 'system:c(1.0,2.0]'];
  it.each<[string, string, readonly string[]]>([
    [
      'each place where the plugin is configured, once',
      `<build><plugins>${plugin(`<configuration>${list(A, ` ${B} `, A)}</configuration>`)}</plugins>
        <pluginManagement><plugins>${plugin(`<configuration>${list(C, A)}</configuration>`)}</plugins></pluginManagement>
      </build>`,
      [A, B, C],
    ],
    [
      'its executions',
      `<build><plugins>${plugin(
        `<configuration/><executions><execution/><execution><configuration>${list(A)}</configuration></execution></executions>`,
      )}</plugins></build>`,
      [A],
    ],
    [
      'no other plugin',
      `<build><plugins>${plugin(`<configuration>${list(A)}</configuration>`, 'x')}</plugins></build>`,
      [],
    ],
    [
      'no plugin without a name',
      `<build><plugins><plugin><configuration>${list(A)}</configuration></plugin></plugins></build>`,
      [],
    ],
    [
      'the plugin rather than the property',
      `<properties><app.parents>${B}</app.parents></properties>
       <build><plugins>${plugin(`<configuration>${list(A)}</configuration>`)}</plugins></build>`,
      [A],
    ],
    [
      'the property, with properties in it',
      '<version> 1.5 </version><properties><x> 2.0 </x><app.parents>system:a[${project.version},${x}),system:b[${y},2)</app.parents></properties>',
      ['system:a[1.5,2.0)'],
    ],
    [
      'the version of the parent',
      '<parent><version>1.5</version></parent><properties><app.parents>system:a[${project.version},2)</app.parents></properties>',
      ['system:a[1.5,2)'],
    ],
    [
      'the property rather than the version of the project',
      '<version>1</version><properties><project.version>3</project.version><app.parents>a[${project.version},4)</app.parents></properties>',
      ['a[3,4)'],
    ],
    ['no version that is not there', '<properties><app.parents>a[${project.version},4)</app.parents></properties>', []],
    ['no property of another level', `<x><app.parents>${A}</app.parents></x><app.parents>${B}</app.parents>`, []],
    [
      'a list with commas, blanks or nothing between them',
      `<properties><app.parents>${A},${B} , ${C}${A}</app.parents></properties>`,
      [A, B, C],
    ],
  ])('are those of %s', (_, content, parents) => {
    expect(pomParents(`<project>${content}</project>`)).toEqual(parents);
  });

  it.each([
    [300, 1],
    [301, 0],
  ])('may have %i characters', (length, count) => {
    const named = `${'a'.repeat(length - 9)}[1.0,2.0)`;
    expect(pomParents(pomOf([named]))).toHaveLength(count);
    expect(pomParents(pomOf(['${x}[1.0,2.0)'], `<x>${'a'.repeat(length - 9)}</x>`))).toHaveLength(count);
    expect(pomParents(pomOf(['${x}'], `<x>${'a'.repeat(length)}</x>`))).toHaveLength(count);
    expect(pomParents(listed(named))).toHaveLength(count);
  });

  // A pattern that looks at each character again from every other one would need hours here.
  it.each([
    ['a name without an end', `<${'a'.repeat(LARGEST)}`, undefined],
    ['a name of quotes', `<${'"'.repeat(LARGEST)}`, undefined],
    ['a name with a quote that has no end', `<${'a""'.repeat(LARGEST / 3)}"`, undefined],
    ['attributes without an end', `<a ${'""'.repeat(LARGEST / 2)}`, undefined],
    ['parents without a range', listed('a'.repeat(LARGEST)), []],
    ['parents of ranges without a name', listed(']'.repeat(LARGEST)), []],
    ['parents whose ranges have no end', listed(',a['.repeat(LARGEST / 3)), []],
    ['a parent with a very long range', listed(`${'a['.repeat(LARGEST / 2)})`), []],
  ])('are read of 1 MB of %s', (_, pom, parents) => {
    expect(pomParents(pom)).toEqual(parents);
  });

  it('are not made of properties that multiply', () => {
    const more = `<long>${'x'.repeat(LARGEST / 2)}</long><short>b</short>`;
    const many = ['${long}'.repeat(LARGEST / 14), '${long}', '${cdap.range}'.repeat(30), 'a${short}[1.0,2.0)'];
    expect(pomParents(pomOf(many, more))).toEqual(['ab[1.0,2.0)']);
  });
});
