/* The options of a list. */

/* JSON of the options a wanted text, value or index means: a text exactly, else with white space folded. */
function matches(select, by, wanted) {
  var options = select.options, exact = [], folded = [], i, one;
  if (by === 'index') {
    return +wanted < options.length ? list([choice(options[+wanted], +wanted)]) : '[]';
  }
  for (i = 0; i < options.length; i++) {
    one = options[i];
    if ((by === 'text' ? one.text : valueOf(one)) === wanted) {
      exact[exact.length] = choice(one, i);
    } else if (by === 'text' && fold(one.text) === fold(wanted)) {
      folded[folded.length] = choice(one, i);
    }
  }
  return list(exact.length ? exact : folded);
}

function choice(option, index) {
  var group = up(option);
  return object([
    ['index', index],
    ['text', fold(option.text)],
    ['value', valueOf(option)],
    ['disabled', isEnabled(option) ? null : true],
    ['group', group && tag(group) === 'optgroup' ? textOf(group, 'label') : null]
  ]);
}

/* Modes below 9 give '' for an option without the attribute, where its text is sent. */
function valueOf(option) {
  var value = option.value;
  return value === '' && attr(option, 'value') === null ? option.text : value;
}

/* JSON of the first texts, for an agent that asked for one that is not there. */
function firstTexts(select) {
  var options = select.options, texts = [], i;
  for (i = 0; i < options.length && i < 20; i++) {
    texts[i] = quote(fold(options[i].text).substring(0, 80));
  }
  return list(texts);
}
