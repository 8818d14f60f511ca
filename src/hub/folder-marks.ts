/** What a mirror keeps in its folder; hidden, so that nobody takes it for a part of the hub. */
export const MIRROR_FOLDER = '.cdapctl-mirror';

/**
 * Marks a folder in which there was no hub before the first publication. Only there may a later one remove files, as a
 * source tree looks like a published hub.
 */
export const PUBLISHED_MARK = '.cdapctl-published';
