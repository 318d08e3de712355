/* Run once in each fresh realm, after the surface of its mode is set. Puts the session's clock behind Date and gives
   dates and numbers the texts IE writes on a Japanese machine. `now` gives milliseconds since 1970. */
(function (mode, now) {
  var global = this, Native = global.Date, proto = Native.prototype;
  var days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  var months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  function pad(n) { return (n < 10 ? '0' : '') + n; }
  function hidden(object, name, value) { object[name] = value; }
  function time(d) { return pad(d.getHours()) + ':' + pad(d.getMinutes()) + ':' + pad(d.getSeconds()); }
  function zone(d) {
    var offset = -d.getTimezoneOffset(), size = offset < 0 ? -offset : offset;
    return (offset < 0 ? '-' : '+') + pad((size - size % 60) / 60) + pad(size % 60);
  }
  function text(d) {
    if (d - d !== 0) return mode < 9 ? 'NaN' : 'Invalid Date';
    var day = days[d.getDay()] + ' ' + months[d.getMonth()] + ' ';
    if (mode < 9) return day + d.getDate() + ' ' + time(d) + ' UTC' + zone(d) + ' ' + d.getFullYear();
    return day + pad(d.getDate()) + ' ' + d.getFullYear() + ' ' + time(d) + ' GMT' + zone(d);
  }
  function Date(year, month, day, hours, minutes, seconds, ms) {
    var count = arguments.length;
    if (!(this instanceof Date)) return text(new Native(now()));
    if (count === 0) return new Native(now());
    if (count === 1) return new Native(year);
    return new Native(year, month, count > 2 ? day : 1, hours || 0, minutes || 0, seconds || 0, ms || 0);
  }
  Date.prototype = proto;
  hidden(proto, 'constructor', Date);
  Date.parse = Native.parse;
  Date.UTC = Native.UTC;
  if (mode >= 9) Date.now = function () { return now(); };
  hidden(global, 'Date', Date);
  hidden(proto, 'toString', function () { return text(this); });
  hidden(proto, 'toLocaleDateString', function () {
    return this.getFullYear() + '\u5E74' + (this.getMonth() + 1) + '\u6708' + this.getDate() + '\u65E5';
  });
  hidden(proto, 'toLocaleTimeString', function () {
    return this.getHours() + ':' + pad(this.getMinutes()) + ':' + pad(this.getSeconds());
  });
  hidden(proto, 'toLocaleString', function () { return this.toLocaleDateString() + ' ' + this.toLocaleTimeString(); });
  hidden(Number.prototype, 'toLocaleString', function () {
    if (this - this !== 0) return '' + this;
    /* Up to mode 8 always two digits behind the point. */
    var parts = (mode < 9 ? this.toFixed(2) : '' + (this.toFixed(3) - 0)).split('.'), whole = parts[0], out = '', i;
    var sign = whole.charAt(0) === '-' ? '-' : '';
    if (sign) whole = whole.substring(1);
    for (i = 0; i < whole.length; i++) out += (i && (whole.length - i) % 3 === 0 ? ',' : '') + whole.charAt(i);
    return sign + out + (parts.length > 1 ? '.' + parts[1] : '');
  });
})
