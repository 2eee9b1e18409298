// The button of a page that is meant for paper.
const button = document.getElementById('print');
button.hidden = false;
button.addEventListener('click', () => print());
