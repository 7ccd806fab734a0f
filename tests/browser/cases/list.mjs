// All cases, by name, in the order in which they run.
import * as compare from './compare.mjs';
import * as connection from './connection.mjs';
import * as editing from './editing.mjs';
import * as gallery from './gallery.mjs';
import * as hands from './hands.mjs';
import * as headset from './headset.mjs';
import * as inputs from './inputs.mjs';
import * as modules from './modules.mjs';
import * as picture from './picture.mjs';
import * as share from './share.mjs';
import * as touch from './touch.mjs';

export const cases = { ...gallery, ...picture, ...compare, ...editing, ...touch, ...hands, ...headset, ...inputs, ...modules, ...share, ...connection };
