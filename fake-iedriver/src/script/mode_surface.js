/* Run once in each fresh realm, before bindings and page. Deletes what document mode `mode` lacks
   and adds what only IE's script engine had. Names what stays. */
(function (mode) {
  var names = Object.getOwnPropertyNames, define = Object.defineProperty, has = Object.prototype.hasOwnProperty;
  var global = this;
  function set(text) {
    var out = {}, list = text.split(' ');
    for (var i = 0; i < list.length; i++) out['$' + list[i]] = true;
    return out;
  }
  function keep(object, always, from8, from9, from10, from11) {
    var stays = set(always + (mode >= 8 ? ' ' + from8 : '') + (mode >= 9 ? ' ' + from9 : '') +
      (mode >= 10 ? ' ' + from10 : '') + (mode >= 11 ? ' ' + from11 : ''));
    var all = names(object);
    for (var i = 0; i < all.length; i++) if (stays['$' + all[i]] !== true) delete object[all[i]];
  }
  function hidden(object, name, value) {
    define(object, name, { value: value, writable: true, configurable: true, enumerable: false });
  }
  var fn = 'length name prototype';

  var array = Array.prototype, string = String.prototype, object = Object.prototype, date = Date.prototype;
  keep(array, 'constructor length concat join pop push reverse shift slice sort splice unshift toString toLocaleString', '',
    'indexOf lastIndexOf every some forEach map filter reduce reduceRight', '', '');
  keep(Array, fn, '', 'isArray', '', '');
  keep(string, 'constructor length charAt charCodeAt concat indexOf lastIndexOf localeCompare match replace search slice split substr ' +
    'substring toLowerCase toUpperCase toLocaleLowerCase toLocaleUpperCase toString valueOf anchor big blink bold fixed fontcolor ' +
    'fontsize italics link small strike sub sup', '', 'trim', '', 'normalize');
  keep(String, fn + ' fromCharCode', '', '', '', '');
  keep(object, 'constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf', '', '', '',
    '__proto__ __defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__');
  keep(Function.prototype, 'constructor apply call toString length name arguments caller', '', 'bind', '', '');
  keep(date, 'constructor toString toDateString toTimeString toLocaleString toLocaleDateString toLocaleTimeString valueOf getTime ' +
    'getFullYear getUTCFullYear getMonth getUTCMonth getDate getUTCDate getDay getUTCDay getHours getUTCHours getMinutes getUTCMinutes ' +
    'getSeconds getUTCSeconds getMilliseconds getUTCMilliseconds getTimezoneOffset setTime setMilliseconds setUTCMilliseconds setSeconds ' +
    'setUTCSeconds setMinutes setUTCMinutes setHours setUTCHours setDate setUTCDate setMonth setUTCMonth setFullYear setUTCFullYear ' +
    'toUTCString toGMTString getYear setYear', 'toJSON', 'toISOString', '', '');
  keep(Date, fn + ' parse UTC', '', 'now', '', '');
  keep(Number.prototype, 'constructor toExponential toFixed toPrecision toString toLocaleString valueOf', '', '', '', '');
  keep(Number, fn + ' MAX_VALUE MIN_VALUE NaN NEGATIVE_INFINITY POSITIVE_INFINITY', '', '', '', '');
  keep(Boolean.prototype, 'constructor toString valueOf', '', '', '', '');
  keep(Math, 'E LN10 LN2 LOG2E LOG10E PI SQRT1_2 SQRT2 abs acos asin atan atan2 ceil cos exp floor log max min pow random round sin sqrt tan',
    '', '', '', '');
  keep(Error.prototype, 'constructor message name toString', '', '', '', '');
  keep(Error, fn, '', '', '', '');

  if (mode < 9) {
    date.getYear = date.getFullYear;
    var substr = string.substr, parse = global.parseInt;
    hidden(string, 'substr', function (from, length) {
      if (from < 0) from = 0;
      return arguments.length > 1 ? substr.call(this, from, length) : substr.call(this, from);
    });
    hidden(global, 'parseInt', function (text, radix) {
      if (!radix && /^\s*[+\-]?0[0-7]/.test(text)) radix = 8;
      return parse(text, radix);
    });
  }

  /* RegExp.$1 to $9 as set by the last match. */
  var exec = RegExp.prototype.exec, replace = string.replace, match = string.match, last = [];
  function remember(found) { if (found) last = found; return found; }
  hidden(RegExp.prototype, 'exec', function (text) { return remember(exec.call(this, text)); });
  hidden(RegExp.prototype, 'test', function (text) { return remember(exec.call(this, text)) !== null; });
  for (var n = 1; n < 10; n++) (function (n) {
    define(RegExp, '$' + n, { get: function () { return last[n] === undefined ? '' : last[n]; }, configurable: true, enumerable: true });
  })(n);

  define(Error.prototype, 'description', { get: function () { return this.message; },
    set: function (text) { hidden(this, 'description', text); }, configurable: true, enumerable: false });
  define(Error.prototype, 'number', { get: function () { return 0; },
    set: function (value) { hidden(this, 'number', value); }, configurable: true, enumerable: false });

  hidden(global, 'ScriptEngine', function () { return 'JScript'; });
  hidden(global, 'ScriptEngineMajorVersion', function () { return 11; });
  hidden(global, 'ScriptEngineMinorVersion', function () { return 0; });
  hidden(global, 'ScriptEngineBuildVersion', function () { return 19597; });
  hidden(global, 'CollectGarbage', function () {});

  keep(Object, fn + (mode === 8 ? ' defineProperty getOwnPropertyDescriptor' : ''), '',
    'getPrototypeOf getOwnPropertyDescriptor getOwnPropertyNames create defineProperty defineProperties seal freeze ' +
    'preventExtensions isSealed isFrozen isExtensible keys', '', 'setPrototypeOf is');
  keep(global, 'Object Function Array String Boolean Number Date RegExp Error EvalError RangeError ReferenceError SyntaxError TypeError ' +
    'URIError Math NaN Infinity undefined eval parseInt parseFloat isNaN isFinite decodeURI decodeURIComponent encodeURI ' +
    'encodeURIComponent escape unescape ScriptEngine ScriptEngineMajorVersion ScriptEngineMinorVersion ScriptEngineBuildVersion ' +
    'CollectGarbage', 'JSON', '',
    'ArrayBuffer DataView Int8Array Uint8Array Int16Array Uint16Array Int32Array Uint32Array Float32Array Float64Array',
    'Uint8ClampedArray Map Set WeakMap');
})
